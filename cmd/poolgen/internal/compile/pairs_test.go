package compile

import (
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/tests/fatal"
)

// features are settings by which pools have all names that there are.
var features = []string{
	"item: uint32, lookup: [address, index, handle], limit: 1MiB, chunk_size: 1MiB, tests: true",
	"suballocator: heap, lookup: address, tests: true, adapters: [pool, writer, grpc, arrow], alignment: 64",
	"suballocator: fixed, block_size: 64B",
	"suballocator: bump, concurrency: sharded",
	"allocator: none",
	"allocator: none, suballocator: fixed",
	"allocator: texture_tile",
	"allocator: texture_tile, suballocator: fixed",
	"allocator: device, suballocator: heap, item: uint32, lookup: address, device_view: fixed",
	"allocator: device, item: uint32, lookup: [address, index], limit: 4MiB, chunk_size: 4MiB",
	"allocator: device, suballocator: bump, device_view: bump",
	"allocator: device_pool, suballocator: heap, shareable: true",
	"allocator: device, device: each",
}

// form is a name of a pool: what stands before and behind the pool's own name, or the lower-case form of that.
type form struct {
	before, after string
	exported      bool
}

// of returns the name for a pool.
func (f form) of(pool string) string {
	if !f.exported {
		pool = lower.NamesOf(&spec.Pool{Name: pool}).Prefix
	}
	return f.before + pool + f.after
}

// pool returns the pool that has a name in this form; "" if there is none.
func (f form) pool(name string) string {
	inner, begins := strings.CutPrefix(name, f.before)
	inner, ends := strings.CutSuffix(inner, f.after)
	if !begins || !ends || inner == "" {
		return ""
	}
	if inner = strings.ToUpper(inner[:1]) + inner[1:]; f.of(inner) != name {
		return ""
	}
	return inner
}

// The names of a pool are those that package spec knows. If a pool has a name twice, or two pools have a name in
// common, that is refused. The pools to try are computed: any part of a name may be the name of a pool.
func TestNamesOfPairs(t *testing.T) {
	forms, words := map[form]string{}, map[string]bool{"Foo": true} // each form with settings that have it
	for _, settings := range features {
		plan := planOf(t, "version: 1\npools: [{name: Foo, "+settings+"}]\n")
		files, found := Files(t.Context(), plan, "poolgen.yaml", "test", nil, nil)
		if len(found) > 0 {
			t.Fatal(found.Text(false))
		}
		delete(files, lower.PackageFile)
		var exported []string
		for _, name := range declaredBy(t, files) {
			f := form{exported: token.IsExported(name)}
			if f.before, f.after, _ = strings.Cut(name, "foo"); f.exported {
				exported = append(exported, name)
				f.before, f.after, _ = strings.Cut(name, "Foo")
			}
			forms[f] = settings
			words[f.before], words[f.after] = true, true
		}
		known := slices.Sorted(slices.Values(spec.Names(&plan.Pools[0])))
		if slices.Sort(exported); !slices.Equal(exported, known) {
			t.Errorf("%s: declared %v\nknown %v", settings, exported, known)
		}
		tryUnexported(t, settings, len(known))
	}
	tried := map[string]bool{}
	for a := range words {
		for f, one := range forms {
			for g, other := range forms {
				b := g.pool(f.of(a))
				if !token.IsExported(a) || b == "" || f.exported != g.exported || a == b && (f == g || one != other) {
					continue
				}
				if !f.exported && a != "Foo" { // nothing stands before the pool's name, so one is as another
					continue
				}
				text := fmt.Sprintf("version: 1\npools:\n  - {name: %s, %s}\n", a, one)
				if a != b {
					text += fmt.Sprintf("  - {name: %s, %s}\n", b, other)
				}
				if !tried[text] {
					tried[text] = true
					tryNames(t, text, f.of(a))
				}
			}
		}
	}
	if len(tried) < 1500 {
		t.Errorf("only %d pool files", len(tried))
	}
}

// tryUnexported expects that a pool foo has as many names of its API as a pool Foo, declares no name twice, and exports nothing but tests.
func tryUnexported(t *testing.T, settings string, api int) {
	t.Helper()
	plan := planOf(t, "version: 1\npools: [{name: foo, "+settings+"}]\n")
	files, found := Files(t.Context(), plan, "poolgen.yaml", "test", nil, nil)
	if len(found) > 0 {
		t.Fatal(found.Text(false))
	}
	known, names := spec.Names(&plan.Pools[0]), declaredBy(t, files)
	slices.Sort(names)
	for i, name := range names {
		if i > 0 && name == names[i-1] || token.IsExported(name) && !strings.HasSuffix(name, "PoolgenFoo") && name != "Example_fooPool" {
			t.Errorf("%s: a pool foo declares %s", settings, name)
		}
	}
	for _, name := range known {
		if _, is := slices.BinarySearch(names, name); !is || len(known) != api {
			t.Errorf("%s: a pool foo has no %s, or not %d names", settings, name, api)
		}
	}
}

// tryNames expects that a pool file is refused unless its output declares no name twice.
func tryNames(t *testing.T, text, name string) {
	t.Helper()
	doc, _ := spec.Load("poolgen.yaml", []byte(text))
	plan, found := doc.Validate(spec.Env{Dir: "pools"})
	if len(found) > 0 {
		if !slices.ContainsFunc(found, func(d spec.Diagnostic) bool { return d.Code == spec.CodeCollision }) {
			t.Errorf("%s\n%s", text, found.Text(false))
		}
		return
	}
	if token.IsExported(name) {
		t.Errorf("%s accepted, with %s twice", text, name)
		return
	}
	files, _ := Files(t.Context(), plan, "poolgen.yaml", "test", nil, nil)
	names := declaredBy(t, files)
	slices.Sort(names)
	for i, n := range names {
		if i > 0 && n == names[i-1] {
			t.Errorf("%s accepted, with %s twice", text, n)
		}
	}
}

// declaredBy lists the names that Go files declare at package level, as often as they do.
func declaredBy(t *testing.T, files map[string][]byte) (names []string) {
	t.Helper()
	for file, text := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, text, 0)
		fatal.If(t, err)
		names = slices.AppendSeq(names, maps.Keys(f.Scope.Objects))
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "init" })
}
