package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/emit"
	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/tests/fatal"
)

// sound is a pool file with one pool.
const sound = "version: 1\npackage: senses\npools:\n  - name: Sound\n"

// directory makes a directory with files, given by their paths in it.
func tree(t *testing.T, files map[string]string) *Workspace {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	fatal.If(t, err)
	w := &Workspace{Dir: dir, Environ: os.Environ(), Version: "v1.2.3"}
	for name, text := range files {
		w.write(t, name, text)
	}
	return w
}

func (w *Workspace) write(t *testing.T, name, text string) {
	t.Helper()
	path := w.Path(name)
	fatal.If(t, os.MkdirAll(filepath.Dir(path), 0o755))
	fatal.If(t, os.WriteFile(path, []byte(text), 0o644))
}

// below returns the workspace with another current directory.
func (w *Workspace) below(dir string) *Workspace {
	there := *w
	there.Dir = filepath.Join(w.Dir, dir)
	return &there
}

// built runs pool files through all stages, without findings.
func (w *Workspace) built(t *testing.T, names ...string) []*Unit {
	t.Helper()
	units, found, err := w.Build(t.Context(), names)
	if err != nil || len(found) > 0 {
		t.Fatalf("%v: %v\n%s", names, err, found.Text(false))
	}
	return units
}

// generate writes what is generated.
func (w *Workspace) generate(t *testing.T, names ...string) {
	t.Helper()
	for _, u := range w.built(t, names...) {
		for _, set := range u.Sets() {
			fatal.If(t, emit.Apply(t.Context(), *set))
		}
	}
}

// drift lists the changes on disk for units: kind and path, sorted.
func (w *Workspace) drift(units ...*Unit) []string {
	var list []string
	for _, u := range units {
		for _, set := range u.Sets() {
			for _, change := range set.Drift() {
				list = append(list, fmt.Sprintf("%s %s", change.Kind, w.Shown(filepath.Join(set.Dir.String(), change.Name))))
			}
		}
	}
	slices.Sort(list)
	return list
}

// expect requires an error that contains a text; "" for no error.
func expect(t *testing.T, what string, err error, want string) {
	t.Helper()
	if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("%s: got %v, want %q", what, err, want)
	}
}

func TestPathsAreShownFromTheCurrentDirectory(t *testing.T) {
	root := filepath.Join(t.TempDir(), "a", "b")
	w := &Workspace{Dir: root}
	far := filepath.Join(filepath.VolumeName(root)+string(filepath.Separator), "x.yaml")
	for path, want := range map[string]string{
		filepath.Join(root, "c", "x.yaml"):               "c/x.yaml",
		filepath.Join(filepath.Dir(root), "c", "x.yaml"): "../c/x.yaml",
		root:             ".",
		far:              filepath.ToSlash(far), // shorter than the relative path
		"already/x.yaml": "already/x.yaml",
	} {
		if got := w.Shown(path); got != want {
			t.Errorf("%s is shown as %s, want %s", path, got, want)
		}
	}
	if got, want := w.Path("x.yaml"), filepath.Join(root, "x.yaml"); got != want || w.Path(got) != want {
		t.Errorf("got %s and %s, want %s", got, w.Path(got), want)
	}
}

// Findings get the lines of all pool files that they are about. Other files in notes are shown like paths, and a note without a place gets none.
func TestReportCompletesFindings(t *testing.T) {
	w := tree(t, map[string]string{"a/poolgen.yaml": sound, "poolgen.yaml": sound})
	units, found, err := w.Load([]string{"poolgen.yaml", "a/poolgen.yaml"})
	if err != nil || len(found) > 0 {
		t.Fatal(err, found)
	}
	at := units[0].Plan.Pools[0].Pos
	d := units[0].Plan.Finding(spec.CodeClaimed, at, "help", "message",
		spec.Note{File: units[1].Name, Pos: at, Message: "theirs"}, spec.Note{File: w.Path("b/x.go"), Pos: at, Message: "in Go"}, spec.Note{Message: "nowhere"})
	d = w.report(spec.Diagnostics{d}, units...)[0]
	end := spec.Position{Line: at.Line, Column: at.Column + len("Sound")}
	const line = "  - name: Sound"
	if d.File != "poolgen.yaml" || d.Excerpt != line || d.End != end {
		t.Errorf("got %+v", d)
	}
	for i, want := range []spec.Note{
		{File: "a/poolgen.yaml", Pos: at, End: end, Message: "theirs", Excerpt: line}, {File: "b/x.go", Pos: at, Message: "in Go"}, {Message: "nowhere"},
	} {
		if d.Notes[i] != want {
			t.Errorf("note %d: got %+v, want %+v", i, d.Notes[i], want)
		}
	}
}
