package templates_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/templates"
	"github.com/poolgen/poolgen/tests/fatal"
)

// TestLibrary compares what is embedded with the directories.
func TestLibrary(t *testing.T) {
	lib := templates.Library()
	files, err := filepath.Glob("*/*.go")
	fatal.If(t, err)
	want := 0
	for _, file := range files {
		dir, base := filepath.Split(file)
		if strings.HasSuffix(base, "_test.go") || filepath.Clean(dir) == "specialize" {
			continue
		}
		want++
		text, err := os.ReadFile(file)
		fatal.If(t, err)
		if lib[templates.Path+"/"+filepath.ToSlash(filepath.Clean(dir))][base] != string(text) {
			t.Errorf("%s is not embedded as it is", file)
		}
	}
	got := 0
	for _, path := range templates.List() {
		got += len(lib[path])
	}
	if got != want {
		t.Errorf("%d files are embedded, want %d", got, want)
	}
}
