package demo

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/gomod"
	"github.com/poolgen/poolgen/tests/fatal"
)

// The project is written as it is embedded, each file with what it is for, before the pools are generated. An error ends the demo.
func TestProjectIsWritten(t *testing.T) {
	var out bytes.Buffer
	dir, sorry := t.TempDir(), errors.New("sorry")
	generate := func(in string) error {
		if in != dir {
			t.Errorf("generate runs in %s, want %s", in, dir)
		}
		entries, err := fs.ReadDir(project, "_project")
		fatal.If(t, err)
		for _, entry := range entries {
			want, _ := fs.ReadFile(project, "_project/"+entry.Name())
			if got, err := os.ReadFile(filepath.Join(dir, entry.Name())); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %v\n%s", entry.Name(), err, got)
			}
			if !strings.Contains(out.String(), "\n  "+entry.Name()+" ") {
				t.Errorf("%s is not shown:\n%s", entry.Name(), &out)
			}
		}
		return sorry
	}
	d := Demo{Go: gomod.Go{Environ: os.Environ()}, Cwd: ".", Dir: dir, Out: &out, Generate: generate}
	if err := d.Run(context.Background()); err != sorry || strings.Contains(out.String(), "go build") {
		t.Errorf("%v\n%s", err, &out)
	}
}

// The demo shows the snapshots that the project's program writes.
func TestSnapshotsAreWritten(t *testing.T) {
	program, err := fs.ReadFile(project, "_project/main.go")
	fatal.If(t, err)
	for _, name := range snapshots {
		if !bytes.Contains(program, []byte(`"`+name+`"`)) {
			t.Errorf("main.go does not write %s", name)
		}
	}
}

// A directory of the user's is made if it is missing, and left alone unless it is empty.
func TestPrepare(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	for range 2 { // missing, then empty
		if got, err := Prepare(dir); got != dir || err != nil {
			t.Errorf("Prepare: %q, %v", got, err)
		}
	}
	if _, err := Prepare(filepath.Dir(dir)); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a directory with files: %v", err)
	}
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir) // of Windows
	if got, err := Prepare(""); err != nil || filepath.Dir(got) != dir {
		t.Errorf("a temporary directory: %q, %v", got, err)
	}
}
