package workspace

import (
	"testing"

	"github.com/poolgen/poolgen/spec"
)

// typed is a pool file whose items only the compiler knows, two of which hold a pointer.
const typed = "version: 1\npackage: trees\nimports: {time: time}\npools:\n  - {name: Leaf, item: Leaf}\n  - {name: Tick, item: time.Time}\n  - {name: Text}\n  - name: Label\n    item: '[2]Label'\n"

// compared loads a pool file and compares it with an empty output directory.
func (w *Workspace) compared(t *testing.T) *Unit {
	t.Helper()
	units, found, err := w.Load(nil)
	if err == nil && len(found) == 0 {
		found, err = w.Compile(t.Context(), units...)
	}
	if err == nil && len(found) == 0 {
		found, err = w.Compare(t.Context(), units...)
	}
	if err != nil || len(found) > 0 {
		t.Fatal(err, found.Text(false))
	}
	return units[0]
}

// LoadTypes gets sizes from the compiler, and reports items that hold pointers, with the line and what to do.
func TestLoadTypes(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	w := tree(t, map[string]string{"go.mod": "module example.com/trees\n\ngo 1.26.0\n", "poolgen.yaml": typed,
		"leaf.go": "package trees\n\nimport \"time\"\n\ntype Leaf struct {\n\ta, b uint64\n\tc bool\n}\n\ntype Label struct{ At time.Time }\n"})
	u := w.compared(t)
	target, found, err := w.LoadTypes(t.Context(), u)
	if err != nil || target == "" {
		t.Fatalf("for %q: %v", target, err)
	}
	if leaf := u.Plan.Pools[0].Item; leaf.Size != 24 || leaf.Align != 8 {
		t.Errorf("Leaf has %d bytes, aligned to %d", leaf.Size, leaf.Align)
	}
	if text := u.Plan.Pools[2].Item; text.Size != 1 {
		t.Errorf("a byte has %d bytes", text.Size)
	}
	info, _ := spec.Explanation("PG110")
	want := spec.Diagnostics{
		{Code: info.Code, File: "poolgen.yaml", Pos: spec.Position{Line: 6, Column: 24}, End: spec.Position{Line: 6, Column: 33}, Help: info.Fix, Excerpt: "  - {name: Tick, item: time.Time}",
			Message: "the item time.Time of pool Tick holds a pointer in loc, which the garbage collector does not see"},
		{Code: info.Code, File: "poolgen.yaml", Pos: spec.Position{Line: 9, Column: 11}, End: spec.Position{Line: 9, Column: 21}, Help: info.Fix, Excerpt: "    item: '[2]Label'",
			Message: "the item [2]Label of pool Label holds a pointer in At.loc, which the garbage collector does not see"},
	}
	if got := found.Text(false); got != want.Text(false) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want.Text(false))
	}
}

// An error of the compiler about an item is an error, and the plan is unchanged.
func TestTypesThatDoNotCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	w := tree(t, map[string]string{"go.mod": "module example.com/trees\n\ngo 1.26.0\n", "poolgen.yaml": sound + "    item: Tone\n"})
	u := w.compared(t)
	_, found, err := w.LoadTypes(t.Context(), u)
	expect(t, "Tone", err, "poolgen.yaml:5:11: undefined: Tone")
	if item := u.Plan.Pools[0].Item; len(found) > 0 || item.Size >= 0 {
		t.Errorf("got %v, and an item of %d bytes", found, item.Size)
	}
}
