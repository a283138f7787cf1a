package emit

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/poolgen/poolgen/tests/fatal"
)

// TestTemporaryFilesAreNotOrphans compares a directory in which another run is at work.
func TestTemporaryFilesAreNotOrphans(t *testing.T) {
	dir := t.TempDir()
	want := map[string][]byte{"a.go": generated("same")}
	write(t, dir, "a.go", want["a.go"])
	write(t, dir, tempPrefix+"1-new-b.go"+tempSuffix, generated("of another run"))
	if drift := compare(t, dir, ".", want).Drift(); len(drift) != 0 {
		t.Errorf("got %v", drift)
	}
}

// TestLitterGoesWithoutDrift runs in a directory in which a process died after all files were in place.
func TestLitterGoesWithoutDrift(t *testing.T) {
	dir := t.TempDir()
	want := map[string][]byte{"a.go": generated("same")}
	write(t, dir, "a.go", want["a.go"])
	young, old := tempPrefix+"1-old-a.go"+tempSuffix, tempPrefix+"2-old-a.go"+tempSuffix
	write(t, dir, young, generated("before"))
	write(t, dir, old, generated("before"))
	past := time.Now().Add(-2 * abandoned)
	fatal.If(t, os.Chtimes(filepath.Join(dir, old), past, past))
	fatal.If(t, Apply(t.Context(), compare(t, dir, ".", want)))
	if got := slices.Sorted(maps.Keys(tree(t, dir))); !slices.Equal(got, []string{young, "a.go"}) {
		t.Errorf("left: %q", got)
	}
}

// TestRunsAtOnce lets many runs generate two outputs in turn in one directory. None of them fails, each file is of one of the outputs, and no
// temporary file remains.
func TestRunsAtOnce(t *testing.T) {
	dir := t.TempDir()
	outputs := []map[string][]byte{
		{"a.go": generated("one"), "b.go": generated("one"), "c.go": generated("one")},
		{"a.go": generated("two"), "b.go": generated("two"), "d.go": generated("two")},
	}
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for k := range 10 {
				changes, err := Compare(t.Context(), Dir{Base: dir, Path: "."}, owner, outputs[(i+k)%2], isGo)
				if err == nil {
					err = Apply(t.Context(), changes)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	for name, content := range tree(t, dir) {
		if strings.HasPrefix(name, tempPrefix) || content != string(outputs[0][name]) && content != string(outputs[1][name]) {
			t.Errorf("%s holds %q", name, content)
		}
	}
}
