package gates

import (
	"errors"
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// untested returns the packages of a module for which go test ./... prints "[no test files]" in a build context, as their directories.
func untested(t *testing.T, root string, c build.Context) (dirs []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(dir string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if dir != root {
			_, nested := os.Stat(filepath.Join(dir, "go.mod"))
			if name := entry.Name(); nested == nil || name == "testdata" || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") {
				return filepath.SkipDir
			}
		}
		pkg, err := c.ImportDir(dir, 0)
		if none := new(build.NoGoError); errors.As(err, &none) {
			return nil
		}
		if len(pkg.TestGoFiles)+len(pkg.XTestGoFiles) == 0 {
			name, _ := filepath.Rel(root, dir)
			dirs = append(dirs, filepath.ToSlash(name))
		}
		return err
	})
	fatal.If(t, err)
	return dirs
}

// onLinux returns the context of a build without tags.
func onLinux(cgo bool) build.Context {
	c := build.Default
	c.GOOS, c.GOARCH, c.CgoEnabled, c.BuildTags = "linux", "amd64", cgo, nil
	return c
}

// TestPackagesHaveTests: CONTRIBUTING.md promises that go test ./... prints a line that begins with "ok" for each package. The tests of a package may not all
// depend on a tag or on cgo: a newcomer sets no tags, and may have no C compiler.
func TestPackagesHaveTests(t *testing.T) {
	for _, cgo := range []bool{true, false} {
		for _, dir := range untested(t, tempmod.Root(t), onLinux(cgo)) {
			t.Errorf("%s has no tests in a build without tags, with cgo %v", dir, cgo)
		}
	}
}

// TestUntestedIsFound plants packages whose tests are missing, or not in all builds, and directories that go test ./... leaves out.
func TestUntestedIsFound(t *testing.T) {
	root := t.TempDir()
	files := map[string]string{"go.mod": "module m\n", "nested/go.mod": "module n\n"}
	for name, constraint := range map[string]string{
		"tested/a.go": "", "tested/a_test.go": "", "bare/a.go": "", "nested/a.go": "", "x/testdata/a.go": "", "_x/a.go": "", ".x/a.go": "",
		"tag/a.go": "", "tag/a_test.go": "cudasim", "cgo/a.go": "", "cgo/a_test.go": "cgo", "other/a.go": "windows", "only/a_test.go": "",
	} {
		files[name] = "package p\n"
		if constraint != "" {
			files[name] = "//go:build " + constraint + "\n\npackage p\n"
		}
	}
	tempmod.Write(t, root, files)
	for cgo, want := range map[bool][]string{true: {"bare", "tag"}, false: {"bare", "cgo", "tag"}} {
		if got := untested(t, root, onLinux(cgo)); !slices.Equal(got, want) {
			t.Errorf("with cgo %v: got %q, want %q", cgo, got, want)
		}
	}
}
