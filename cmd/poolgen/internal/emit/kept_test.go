package emit

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
)

// TestFilesOfOtherNamesStay has copies of a generated file, as merges and editors leave them. Their headers say that they are generated, but poolgen
// must leave them alone.
func TestFilesOfOtherNamesStay(t *testing.T) {
	dir := t.TempDir()
	want := map[string][]byte{"a.go": generated("x")}
	for _, name := range []string{"a.go", "a.go.orig", "a.go~"} {
		write(t, dir, name, want["a.go"])
	}
	fatal.If(t, Apply(t.Context(), compare(t, dir, ".", want)))
	if files := tree(t, dir); len(files) != 3 {
		t.Errorf("left: %q", files)
	}
	if _, err := Compare(t.Context(), Dir{Base: dir, Path: "."}, owner, map[string][]byte{"a.c": generated("x")}, isGo); err == nil {
		t.Error("a file would be written that no later run takes for generated")
	}
}

// TestFilesThatComeMeanwhileStay replaces files after Compare has seen them with files of the user's.
func TestFilesThatComeMeanwhileStay(t *testing.T) {
	for _, name := range []string{"b.go", "c.go", "orphan.go"} { // to be replaced, to be made, to be removed
		for what, put := range map[string]func(path string) error{
			"file":      func(path string) error { return os.WriteFile(path, []byte("package mine\n"), 0o644) },
			"link":      func(path string) error { return os.Symlink("hand.go", path) },
			"directory": func(path string) error { return os.Mkdir(path, 0o755) },
		} {
			dir, want := drifted(t)
			changes := compare(t, dir, ".", want)
			path := filepath.Join(dir, name)
			_ = os.Remove(path)
			fatal.If(t, put(path))
			before := tree(t, dir)
			if err := Apply(t.Context(), changes); err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: a %s: %v", name, what, err)
			}
			if got := tree(t, dir); !maps.Equal(got, before) {
				t.Errorf("%s: a %s: left %q", name, what, got)
			}
			if info, err := os.Lstat(path); err != nil || (info.Mode().Type() == 0) != (what == "file") {
				t.Errorf("%s: the %s is %v, %v", name, what, info, err)
			}
		}
	}
}

func TestPermissionsStay(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such permissions")
	}
	dir := t.TempDir()
	permissions := map[string]os.FileMode{"readonly.go": 0o444, "shared.go": 0o664, "private.go": 0o600}
	want := map[string][]byte{"new.go": generated("new")}
	for name, mode := range permissions {
		write(t, dir, name, generated("old"))
		fatal.If(t, os.Chmod(filepath.Join(dir, name), mode))
		want[name] = generated("new")
	}
	write(t, dir, "usual", nil)
	usual, err := os.Stat(filepath.Join(dir, "usual"))
	fatal.If(t, err)
	permissions["new.go"] = usual.Mode().Perm()
	fatal.If(t, Apply(t.Context(), compare(t, dir, ".", want)))
	for name, mode := range permissions {
		info, err := os.Stat(filepath.Join(dir, name))
		fatal.If(t, err)
		if info.Mode().Perm() != mode {
			t.Errorf("%s: %v, want %v", name, info.Mode(), mode)
		}
	}
}

// TestHardLinksKeepTheirContent generates into a copy of a work tree whose files are hard links to the original. The original must not change.
func TestHardLinksKeepTheirContent(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.go", generated("old"))
	if err := os.Link(filepath.Join(dir, "a.go"), filepath.Join(dir, "other")); err != nil {
		t.Skip("no hard links here: ", err)
	}
	fatal.If(t, Apply(t.Context(), compare(t, dir, ".", map[string][]byte{"a.go": generated("new")})))
	if got := tree(t, dir); got["a.go"] != string(generated("new")) || got["other"] != string(generated("old")) {
		t.Errorf("got %q", got)
	}
}
