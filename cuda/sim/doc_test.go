package sim

import (
	"go/build"
	"slices"
	"testing"
)

// Without the tag the package is its comment alone: a program that imports it by mistake does not link the simulator.
func TestEmptyWithoutTag(t *testing.T) {
	c := build.Default
	c.BuildTags = nil
	pkg, err := c.ImportDir(".", 0)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(pkg.GoFiles, []string{"doc.go"}) || len(pkg.Imports) > 0 {
		t.Errorf("the files %q import %q", pkg.GoFiles, pkg.Imports)
	}
}
