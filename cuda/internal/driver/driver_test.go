package driver

import (
	"go/build"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/tests/fatal"
)

// A program links the driver or the simulator, as the tag says, never both.
func TestTagChoosesWhatIsLinked(t *testing.T) {
	for tag, want := range map[string][]string{"": {"abi", "native"}, "cudasim": {"abi", "simulator"}} {
		c := build.Default
		c.BuildTags = []string{tag}
		pkg, err := c.ImportDir(".", 0)
		fatal.If(t, err)
		var got []string
		for _, path := range pkg.Imports {
			if _, name, ok := strings.Cut(path, "cuda/internal/"); ok {
				got = append(got, name)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("with the tag %q it imports %q, want %q", tag, got, want)
		}
	}
}

// Without a driver there is a table, too. All goroutines get the same one.
func TestTableIsOne(t *testing.T) {
	var tables [8]abi.Driver
	var all sync.WaitGroup
	for i := range tables {
		all.Go(func() { tables[i] = Table() })
	}
	all.Wait()
	for _, d := range tables {
		if d == nil || d != tables[0] {
			t.Errorf("the tables are %v and %v", d, tables[0])
		}
	}
}
