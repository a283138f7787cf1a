package gates

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/tempmod"
)

var builds = flag.Bool("gates.builds", false, "build the command in two directories, which takes a minute")

// commandSources are the sources of the command.
var commandSources = []string{"cmd", "cuda", "internal", "runtime", "spec", "templates"}

// released builds the command in the directory dir as releases are built: whatever GOFLAGS says, with tables for debuggers, as far as they are of the module.
func released(t *testing.T, dir string, environ ...string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "poolgen")
	command := tempmod.Command{Dir: dir, Env: environ}
	if _, diag, err := command.Go("build", "-trimpath", "-buildvcs=false", "-gcflags="+tempmod.Path+"/...=", "-ldflags=", "-o", file, "./cmd/poolgen"); err != nil {
		t.Fatalf("go build: %v\n%s", err, diag)
	}
	content, err := os.ReadFile(file)
	fatal.If(t, err)
	return content
}

// TestReproducible checks that every build of a release gives the same bytes: here, and in another directory with an empty build cache.
func TestReproducible(t *testing.T) {
	if !*builds {
		t.Skip("builds the command and all that it is built of, twice: wants -gates.builds")
	}
	root, copied := tempmod.Root(t), t.TempDir()
	for _, source := range commandSources {
		fatal.If(t, os.CopyFS(filepath.Join(copied, source), os.DirFS(filepath.Join(root, source))))
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(root, name))
		fatal.If(t, err)
		tempmod.Write(t, copied, map[string]string{name: string(content)})
	}
	here, there := released(t, root), released(t, copied, "GOCACHE="+t.TempDir())
	if !bytes.Equal(here, there) {
		t.Errorf("two builds of the command differ: %d and %d bytes", len(here), len(there))
	}
	for _, dir := range []string{root, copied} {
		if bytes.Contains(here, []byte(dir)) {
			t.Errorf("the command holds the name of the directory %s", dir)
		}
	}
}
