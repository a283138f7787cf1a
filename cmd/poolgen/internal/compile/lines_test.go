package compile

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// No line of a pool file shows in the output: a comment never makes it stale.
func TestLinesDoNotShow(t *testing.T) {
	paths, err := filepath.Glob("../../../../generated_examples/*/poolgen.yaml")
	if err != nil || len(paths) < 20 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		commented := "# A comment.\n" + strings.ReplaceAll(string(text), "\n  - ", "\n\n  # Another.\n  - ")
		if !maps.EqualFunc(generated(t, string(text)), generated(t, commented), func(a, b []byte) bool { return string(a) == string(b) }) {
			t.Errorf("%s: comments change the output", path)
		}
	}
}
