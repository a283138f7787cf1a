package compile

import (
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/tests/fatal"
)

// Unexported names that two pools would both declare are refused with both places.
func TestClashes(t *testing.T) {
	for _, test := range []struct {
		pools string
		want  string // "" for none
	}{
		{"{name: Foo, suballocator: binned}, {name: FooSpan, item: int8}", "4:46: PG023: pool \"FooSpan\": it collides with pool \"Foo\": both would declare fooSpanAddr"},
		{"{name: Foo, suballocator: binned}, {name: FooHeap, item: int8}", ""},
		{"{name: Foo, suballocator: heap}, {name: FooBinned, suballocator: binned}", ""},
		{"{name: Foo, suballocator: binned}, {name: Foobinned, suballocator: binned}", ""},
		{"{name: Foo, suballocator: binned}, {name: Bar, suballocator: binned}", ""},
		{"{name: AllocFoo, item: int8}, {name: fooDefault, item: int8}", "4:41: PG023: pool \"fooDefault\": it collides with pool \"AllocFoo\": both would declare allocFooDefault"},
		{"{name: bar, item: int8}, {name: foo, item: int8}", ""},
	} {
		plan := planOf(t, fmt.Sprintf("version: 1\nbudgets: []\npools:\n  [%s]\n", test.pools))
		files, found := Files(t.Context(), plan, "poolgen.yaml", "test", nil, nil)
		text := ""
		for _, d := range found {
			text += d.Error() + "\n"
			if len(d.Notes) != 1 || d.Notes[0].Pos != plan.Pools[0].Pos {
				t.Errorf("notes: %+v", d.Notes)
			}
		}
		if (test.want == "") != (text == "") || !strings.Contains(text, test.want) || (files == nil) != (test.want != "") {
			t.Errorf("%s: got %s", test.pools, text)
		}
	}
}

// A pool that would declare a name of the user's again is refused, with the place of the name.
func TestNamesOfTheUsersAreNotDeclared(t *testing.T) {
	for pool, want := range map[string]string{
		"item: fooConfig": "its item type", "item: '[4]fooConfig'": "its item type", "item: fooConfig.T": "an import",
		"allocator: custom, free: give, alloc: fooConfig": "a function that it is given",
		"allocator: custom, alloc: take, free: fooConfig": "a function that it is given",
	} {
		head := "version: 1\n"
		if strings.Contains(pool, ".T") {
			head += "imports: {fooConfig: example.com/foreign}\n"
		}
		line := "pools: [{name: Foo, suballocator: fixed, block_size: 64, "
		if strings.HasPrefix(pool, "item") {
			line = "pools: [{name: Foo, "
		}
		line += pool + "}]"
		column := strings.LastIndex(line, ": ") + len(": ") + 1
		files, found := Files(t.Context(), planOf(t, head+line+"\n"), "poolgen.yaml", "test", nil, nil)
		want = "pool \"Foo\": it would declare fooConfig, which is the name of " + want
		if files != nil || len(found) != 1 || found[0].Code != spec.CodeCollision || found[0].Pos.Column != column || found[0].Message != want {
			t.Errorf("%s: got %+v", line, found)
		}
	}
}

func TestRelated(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{{"foo", "fooBar", true}, {"fooBar", "foo", true}, {"foo", "foo", true}, {"foo", "foobar", false}, {"foo1", "foo10", false}, {"foo", "bar", false}, {"foo", "fooÄ", true}} {
		if got := related(test.a, test.b); got != test.want {
			t.Errorf("%s, %s: %t", test.a, test.b, got)
		}
	}
}

// A pool whose names collide with those of a suballocator is refused, with the place of the pool that needs the suballocator.
func TestCoreClashes(t *testing.T) {
	plan := planOf(t, "version: 1\npools:\n  [{name: FooCore, item: int8}, {name: Foo}, {name: Bar}]\n")
	pkg, err := lower.Plan(plan)
	fatal.If(t, err)
	files := map[string][]byte{"foo_core_core.go": []byte("package p\n")}
	for _, name := range []string{"foo_pool.go", "foo_shell.go", "bar_pool.go", "bar_shell.go", "foo_core_pool.go"} {
		files[name] = []byte("package p\n")
	}
	files["foo_core_shell.go"] = []byte("package p\n\nvar fooCoreConfig, fooCoreList int\n")
	files["foo_core.go"] = []byte("package p\n\ntype fooCore struct{}\n\nfunc fooCoreList() {}\n")
	b := &build{Package: pkg, files: files}
	found := b.clashes(t.Context())
	const want = "the suballocator of pool \"Foo\": it collides with pool \"FooCore\": both would declare fooCoreList"
	if len(found) != 1 || found[0].Message != want || found[0].Pos != plan.Pools[1].Pos || found[0].Notes[0].Pos != plan.Pools[0].Pos {
		t.Errorf("got %+v, want %s", found, want)
	}
	ended, end := context.WithCancel(t.Context())
	if end(); b.clashes(ended) != nil {
		t.Error("it goes on after its context has ended")
	}
}

// Declarations by hand that have the name of an import are no clash, as the import gets another name, nor are min and max, which the output does without. Tests
// of pools are apart.
func TestImportsGiveWay(t *testing.T) {
	for _, settings := range features {
		settings = strings.ReplaceAll(settings, ", tests: true", "")
		plan := planOf(t, "version: 1\npools: [{name: Foo, "+settings+"}]\n")
		decls := map[string]string{"min": "hand.go:1:1", "max": "hand.go:2:1"}
		files, found := Files(t.Context(), plan, "poolgen.yaml", "test", nil, nil)
		for at, text := range files {
			f, err := parser.ParseFile(token.NewFileSet(), at, text, parser.ImportsOnly)
			fatal.If(t, err)
			for _, imp := range f.Imports {
				if name := importName(imp); name != "poolrt" && name != "poolimpl" && name != "cuda" { // names of ours
					decls[name] = "hand.go:3:1"
				}
			}
		}
		if len(found) > 0 || len(decls) < 4 {
			t.Fatalf("%s: %v imports, %s", settings, decls, found.Text(false))
		}
		if files, found = Files(t.Context(), plan, "poolgen.yaml", "test", decls, nil); len(found) > 0 || len(files) == 0 {
			t.Errorf("%s: %s", settings, found.Text(false))
		}
	}
}
