package lower

import (
	"testing"

	"github.com/poolgen/poolgen/spec"
)

func TestPrefix(t *testing.T) {
	for name, want := range map[string]string{"Vertex": "vertex", "HTTPConn": "httpConn", "URL": "url", "A": "a", "X2Y": "x2Y", "Ärger": "ärger"} {
		if got := prefix(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// TestItemNames: an item has another name in exactly those files that use its own name for something else.
func TestItemNames(t *testing.T) {
	for _, test := range []struct{ item, from, core, api, tests string }{
		{"mesh.V", "mesh", "mesh.V", "mesh.V", "mesh.V"},
		{"'[2][3]mesh.V'", "mesh", "[2][3]mesh.V", "[2][3]mesh.V", "[2][3]mesh.V"},
		{"time.D", "time", "itemtime.D", "time.D", "time.D"},
		{"heap.D", "heap", "itemheap.D", "heap.D", "heap.D"},
		{"'[4]block.D'", "block", "[4]block.D", "[4]itemblock.D", "[4]itemblock.D"},
		{"testing.D", "testing", "testing.D", "testing.D", "itemtesting.D"},
		{"trial", "", "trial", "trial", "fooTestItem"},
		{"'[4]trial'", "", "[4]trial", "[4]trial", "[4]fooTestItem"},
		{"uint64", "", "uint64", "uint64", "uint64"},
	} {
		head := "version: 1\n"
		if test.from != "" {
			head += "imports: {" + test.from + ": example.com/" + test.from + "}\n"
		}
		pkg := planned(t, head+"pools: [{name: Foo, item: "+test.item+"}]\n")
		item := pkg.Pools[0].Item
		if got := [3]string{item.Core.String(), item.API.String(), item.Tests.String()}; got != [3]string{test.core, test.api, test.tests} {
			t.Errorf("%s: got %q", test.item, got)
		}
	}
}

// TestBlockOf: the type of a block follows from form and memory.
func TestBlockOf(t *testing.T) {
	for pool, want := range map[string]string{
		"item: uint64": "*uint64", "item: uint64, suballocator: heap": "[]uint64", "block_size: 64, suballocator: fixed": "*FooBlock", "limit: 64MiB": "[]byte",
		"item: uint64, allocator: device": "FooPtr", "allocator: device": "FooSpan", "allocator: texture_tile, suballocator: fixed": "FooTiles",
		"allocator: texture_tile": "FooTiles", "allocator: none, suballocator: fixed": "FooID", "allocator: none": "FooIDs",
	} {
		s := planned(t, "version: 1\npools: [{name: Foo, "+pool+"}]\n").Pools[0].Spec
		if got := BlockOf(s, ItemOf(s).Plain); got != want {
			t.Errorf("%s: got %s, want %s", pool, got, want)
		}
	}
}

// TestFiles: the name of each file of a pool is unique, and one that generated files may have.
func TestFiles(t *testing.T) {
	pool := spec.Pool{Name: "HTTPConn", Tests: true, CHeader: true, Adapters: []string{spec.AdaptPool}}
	f := FilesOf(&pool)
	if want := (Files{"http_conn_pool.go", "http_conn_shell.go", "http_conn_adapters.go", "http_conn_poolgen_test.go", "http_conn_core.go", "http_conn_pool.h"}); f != want {
		t.Errorf("got %v, want %v", f, want)
	}
	for _, name := range append(f.Go(), f.Core, f.Header, PackageFile) {
		if !IsFile(name) {
			t.Errorf("%s is not known as a generated file", name)
		}
	}
	pool.Tests, pool.CHeader, pool.Adapters = false, false, nil
	if f = FilesOf(&pool); f.Tests != "" || f.Adapters != "" || f.Header != "" || len(f.Go()) != 2 || f.Has("") || f.Has("http_conn_pool.h") {
		t.Errorf("without tests and header: %+v", f)
	}
	if IsFile("main.go") || IsFile("http_conn.go") {
		t.Error("files of the user's count as generated")
	}
}
