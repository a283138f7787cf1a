package gomod

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
)

func TestWithFlagsKeepsTheUsers(t *testing.T) {
	g := Go{Environ: []string{"GOFLAGS=-old", "GOFLAGS=-buildvcs=false", "A=b"}}
	if got := g.WithFlags("-mod=mod").lookup("GOFLAGS"); got != "-buildvcs=false -mod=mod" {
		t.Errorf("GOFLAGS=%s", got)
	}
	if got := (Go{}).WithFlags("-mod=mod").lookup("GOFLAGS"); got != "-mod=mod" {
		t.Errorf("GOFLAGS=%s", got)
	}
	if len(g.Environ) != 3 {
		t.Error("the environment given was changed")
	}
}

func TestWithTagKeepsTheUsers(t *testing.T) {
	for flags, want := range map[string]string{
		"":                     "-tags=sim",
		"-tags=a,b":            "-tags=a,b,sim",
		"-mod=mod --tags=a -v": "-mod=mod -v -tags=a,sim",
	} {
		if got := (Go{Environ: []string{"GOFLAGS=" + flags}}).WithTag("sim").lookup("GOFLAGS"); got != want {
			t.Errorf("%q: got %q", flags, got)
		}
	}
}

// TestFlagsOfGoEnvAreKept has flags that were set with go env -w, which an environment variable replaces.
func TestFlagsOfGoEnvAreKept(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	file := filepath.Join(t.TempDir(), "env")
	fatal.If(t, os.WriteFile(file, []byte("GOFLAGS=-tags=a\n"), 0o644))
	g := Go{Environ: os.Environ()}.With("GOFLAGS=", "GOENV="+file)
	if got := g.WithTag("sim").WithFlags("-mod=mod").lookup("GOFLAGS"); got != "-tags=a,sim -mod=mod" {
		t.Errorf("GOFLAGS=%s", got)
	}
}

// The go command ignores a go.mod in the directory of temporary files, and what lies above it.
func TestImportPathBelowTemporaryFiles(t *testing.T) {
	above := t.TempDir()
	for _, sub := range []string{"", "temp"} {
		fatal.If(t, os.MkdirAll(filepath.Join(above, sub), 0o755))
		fatal.If(t, os.WriteFile(filepath.Join(above, sub, "go.mod"), []byte("module above\n"), 0o644))
	}
	dir := filepath.Join(above, "temp", "p")
	if got := ImportPath(dir); got != "above/p" {
		t.Errorf("in a module: %q", got)
	}
	t.Setenv("TMPDIR", filepath.Join(above, "temp"))
	t.Setenv("TMP", filepath.Join(above, "temp"))
	if got := ImportPath(dir); got != "" {
		t.Errorf("below the directory of temporary files: %q", got)
	}
}

// TestImportPath: as for the go command, the nearest go.mod decides, even if it cannot be parsed.
func TestImportPath(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/a\n", "inner/go.mod": "module example.com/b\n", "broken/go.mod": "module\n", "directory/go.mod/x": ""} {
		file := filepath.Join(dir, name)
		fatal.If(t, errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)))
	}
	for sub, want := range map[string]string{
		"": "example.com/a", "x/y": "example.com/a/x/y", "inner": "example.com/b", "inner/z": "example.com/b/z", "broken": "", "broken/x": "", "directory": "example.com/a/directory",
	} {
		if got := ImportPath(filepath.Join(dir, sub)); got != want {
			t.Errorf("%q: got %q, want %q", sub, got, want)
		}
	}
}

func TestModulePath(t *testing.T) {
	for text, want := range map[string]string{
		"module example.com/a\n":                        "example.com/a",
		"// a comment\n\nmodule \"example.com/a\" // b": "example.com/a",
		"go 1.26\n": "",
		"":          "",
	} {
		file := filepath.Join(t.TempDir(), "go.mod")
		fatal.If(t, os.WriteFile(file, []byte(text), 0o644))
		if got := modulePath(file); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestGoMod(t *testing.T) {
	for _, test := range []struct {
		source Source
		want   string
	}{
		{Source{Version: "v1.2.3"}, "module m\n\ngo 1.25.0\n\nrequire github.com/poolgen/poolgen v1.2.3\n"},
		{Source{Dir: "/a b"}, "module m\n\ngo 1.25.0\n\nrequire github.com/poolgen/poolgen v0.0.0\n\nreplace github.com/poolgen/poolgen => \"/a b\"\n"},
	} {
		if got := string(test.source.goMod("m")); got != test.want {
			t.Errorf("%+v: got\n%s", test.source, got)
		}
	}
}

// TestVersionIsThatOfTheModule: a module does not build if it declares an older Go than a module that it requires.
func TestVersionIsThatOfTheModule(t *testing.T) {
	text, err := os.ReadFile("../../../../go.mod")
	fatal.If(t, err)
	if !strings.Contains(string(text), "\ngo "+Version+"\n") {
		t.Errorf("go.mod does not say go %s", Version)
	}
}

// TestLocate runs in a directory outside any module. Only the directory that this test was built from remains to be found.
func TestLocate(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	g := Go{Environ: os.Environ()}
	source, err := g.Locate(context.Background(), t.TempDir())
	fatal.If(t, err)
	if got := modulePath(filepath.Join(source.Dir, "go.mod")); got != Path {
		t.Errorf("%+v holds the module %q", source, got)
	}
	root, path, err := g.Main(context.Background(), source.Dir)
	if err != nil || path != Path {
		t.Errorf("Main: %q, %q, %v", root, path, err)
	}
	if root, path, err = g.Main(context.Background(), t.TempDir()); root != "" || path != "" || err != nil {
		t.Errorf("Main outside of a module: %q, %q, %v", root, path, err)
	}
}

func TestErrorsCarryTheOutput(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	_, err := Go{Environ: os.Environ()}.Run(context.Background(), t.TempDir(), "build", "nothing.go")
	var failure *Error
	if !errors.As(err, &failure) || !strings.Contains(err.Error(), "nothing.go") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (Go{Environ: os.Environ()}).Run(ctx, t.TempDir(), "version"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
