package facade

import (
	"slices"
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/spec"
)

// C has each figure, with what it is, under a name that C++ can have.
func TestFiguresOfC(t *testing.T) {
	seen := map[string]bool{"private": true}
	for _, f := range figures() {
		if f.c == "" || f.help == "" || seen[f.c] {
			t.Errorf("%+v", f)
		}
		seen[f.c] = true
	}
}

// Names are checked against those of C libraries by the verbs of package spec, so these are all.
func TestVerbsOfC(t *testing.T) {
	doc, found := spec.Load("poolgen.yaml", []byte("version: 1\npackage: main\npools: [{name: Foo, allocator: device_pool, suballocator: none, ordering: driver, device: each, exports: [c]}]\n"))
	if len(found) > 0 {
		t.Fatal(found.Text(false))
	}
	plan, found := doc.Validate(spec.Env{})
	if len(found) > 0 {
		t.Fatal(found.Text(false))
	}
	pkg, err := lower.Plan(plan)
	if err != nil {
		t.Fatal(err)
	}
	var verbs []string
	for _, e := range (&pool{Pool: pkg.Pools[0], pkg: pkg}).exports() {
		verbs = append(verbs, e.verb)
	}
	want := slices.Sorted(slices.Values(spec.ExportVerbs))
	if slices.Sort(verbs); !slices.Equal(verbs, want) {
		t.Errorf("%v, want %v", verbs, want)
	}
}
