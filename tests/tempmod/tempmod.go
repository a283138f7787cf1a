// Package tempmod makes modules that live as long as a test: they import poolgen's own packages from the working tree, and hold
// what the test wants the go command to build, vet or run.
//
// The tests that use it see poolgen from outside, as a binary and as packages that anybody may import.
package tempmod

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// Path is the path of poolgen's module.
const Path = "github.com/poolgen/poolgen"

// Root returns the directory of poolgen's module, which the running test lies in.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && bytes.HasPrefix(text, []byte("module "+Path+"\n")) {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatalf("the test does not run in the module %s", Path)
		}
		dir = parent
	}
}

// New makes a module of the given path in a new directory, with the files given (names with slashes), and returns the directory. It needs
// no network: what poolgen requires is there already.
func New(t testing.TB, module string, files map[string]string) string {
	t.Helper()
	root := Root(t)
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	Write(t, dir, files)
	Write(t, dir, map[string]string{
		"go.mod": fmt.Sprintf("module %s\n\ngo 1.26.0\n\nrequire %s v0.0.0\n\nreplace %s => %q\n", module, Path, Path, root),
		"go.sum": string(sum),
	})
	return dir
}

// Generated makes a module likewise, with the pools of each poolgen.yaml among the files.
func Generated(t testing.TB, module string, files map[string]string) string {
	t.Helper()
	dir := New(t, module, files)
	args := []string{"generate"}
	for name := range files {
		if path.Base(name) == "poolgen.yaml" {
			args = append(args, filepath.FromSlash(name))
		}
	}
	if out, diag, err := (Command{Dir: dir}).Run(Poolgen(t), args...); err != nil {
		t.Fatalf("poolgen generate: %v\n%s%s", err, out, diag)
	}
	return dir
}

// Read returns the files below dir, by their names from there.
func Read(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Write writes files below dir.
func Write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Command is a program to run in a directory.
type Command struct {
	Dir string
	Env []string // NAME=value, on top of the test's own
	// Temporary: the directory is that of a module made by New, whose go.mod the go command may complete.
	Temporary bool
}

// Go runs the go command and returns what it wrote.
func (c Command) Go(args ...string) (stdout, stderr string, err error) { return c.Run("go", args...) }

// Run runs a program likewise.
func (c Command) Run(program string, args ...string) (stdout, stderr string, err error) {
	cmd := exec.Command(program, args...)
	cmd.Dir = c.Dir
	cmd.Env = append(os.Environ(), "PWD="+c.Dir, "NO_COLOR=1")
	if c.Temporary {
		cmd.Env = append(cmd.Env, "GOWORK=off", "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -mod=mod"))
	}
	cmd.Env = append(cmd.Env, c.Env...)
	var out, diag bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &diag
	err = cmd.Run()
	return out.String(), diag.String(), err
}

// Poolgen builds the command and returns the path of the binary, which has no tables for debuggers: it is linked in half the time.
func Poolgen(t testing.TB) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "poolgen")
	if _, out, err := (Command{Dir: Root(t)}).Go("build", "-ldflags=-s -w", "-o", file, "./cmd/poolgen"); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return file
}
