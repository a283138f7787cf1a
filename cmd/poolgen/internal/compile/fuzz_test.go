package compile

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/large"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// world is the environment in which generated packages are compiled for a processor.
type world struct {
	arch     string
	files    *token.FileSet
	exports  tempmod.Exports
	importer types.Importer
	plan     *spec.Plan
}

// worlds are made once: they have the packages that were imported.
var worlds = map[string]func() (*world, error){"amd64": worldOf("amd64"), "386": worldOf("386")}

func worldOf(arch string) func() (*world, error) {
	return sync.OnceValues(func() (*world, error) {
		list, err := tempmod.Compile([]string{"GOARCH=" + arch}, tempmod.Path+"/runtime/pooltest", tempmod.Path+"/runtime/poolimpl/cores/...", tempmod.Path+"/cuda")
		if err != nil {
			return nil, err
		}
		w := &world{arch: arch, files: token.NewFileSet(), exports: list}
		w.importer = importer.ForCompiler(w.files, "gc", list.Open)
		return w, nil
	})
}

// Import imports packages for generated code. It invents the packages of items.
func (w *world) Import(name string) (*types.Package, error) {
	for i := range w.plan.Imports {
		if w.plan.Imports[i].Path != name {
			continue
		}
		if w.exports[name] != "" {
			return w.importer.Import(name) // has no such type
		}
		return w.invent(name), nil
	}
	return w.importer.Import(name)
}

// invent makes a package with the types that items need.
func (w *world) invent(name string) *types.Package {
	pkg := types.NewPackage(name, path.Base(name))
	for i := range w.plan.Pools {
		if item := w.plan.Pools[i].Item; item.Import == name {
			_, id := userType(item)
			at := types.NewTypeName(token.NoPos, pkg, id, nil)
			types.NewNamed(at, types.Typ[types.Uint32], nil)
			pkg.Scope().Insert(at)
		}
	}
	pkg.MarkComplete()
	return pkg
}

// userType returns the qualifier and the name of the type of an item, or of its elements if it is an array.
func userType(item spec.Item) (qualifier, name string) {
	element := item.Type[strings.LastIndexByte(item.Type, ']')+1:]
	if q, n, ok := strings.Cut(element, "."); ok {
		return q, n
	}
	return "", element
}

// byHand is the Go file that somebody wrote beside a pool file: it has the types and functions that the plan names.
func byHand(plan *spec.Plan) string {
	text := "package " + plan.Package + "\n\nimport mem \"unsafe\"\n\n"
	seen := map[string]bool{}
	declare := func(name, declaration string) {
		if name != "" && !seen[name] {
			seen[name] = true
			text += declaration + "\n"
		}
	}
	declare("_", "var _ mem.Pointer")
	for i := range plan.Pools {
		p := &plan.Pools[i]
		if qualifier, name := userType(p.Item); p.Item.Kind == spec.ItemUser && qualifier == "" {
			declare(name, "type "+name+" uint32")
		}
		declare(p.AllocFunc, "func "+p.AllocFunc+"(size, align int64) (p mem.Pointer, err error) { return }")
		declare(p.FreeFunc, "func "+p.FreeFunc+"(p mem.Pointer, size int64) (err error) { return }")
	}
	return text
}

// lawful matches faults that only the Go compiler can find, and must find: a failed assertion about the size of a user's type, and a
// type that is not where the pool file says; also the errors that follow from these.
var lawful = regexp.MustCompile(`^invalid array length \w+Rule |^\w+CoreBlockSize - max\(\w+CoreItemBytes, 1\) .* overflows uint64|^undefined: \w+\.\w+$|^name \w+ not exported by package|not exported by package`)

// compiled runs a pool file through the compiler. If the file is accepted, the output must be formatted Go that compiles. compiled reports whether
// the file was accepted.
func compiled(t *testing.T, text string) bool {
	t.Helper()
	w, err := worlds["amd64"]()
	if err != nil {
		t.Skip(err)
	}
	doc, _ := spec.Load("poolgen.yaml", []byte(text))
	if doc == nil {
		return false
	}
	plan, found := doc.Validate(spec.Env{Dir: "pools"})
	if len(found) > 0 || len(plan.Pools) > 6 {
		return false
	}
	mine := byHand(plan)
	env, err := spec.ScanDir(fstest.MapFS{"byhand.go": {Data: []byte(mine)}}, nil, nil)
	fatal.If(t, err)
	if plan, found = doc.Validate(env); len(found) > 0 {
		return false
	}
	files, found := Files(t.Context(), plan, "poolgen.yaml", "test", env.Decls, nil)
	for _, d := range found {
		if d.Code == spec.CodeFault {
			t.Errorf("%s\n%s", d.Error(), text)
		}
	}
	if len(found) > 0 {
		return false
	}
	w.plan = plan
	files["byhand.go"] = []byte(mine)
	for _, fault := range w.faults(files) {
		t.Errorf("%s\n%s", fault, text)
	}
	return true
}

// faults formats and compiles the files of a package.
func (w *world) faults(files map[string][]byte) (found []string) {
	var parsed []*ast.File
	for name, text := range files {
		if path.Base(name) != name {
			found = append(found, "a file is named "+name)
		}
		if path.Ext(name) != ".go" {
			continue // of C, which tests/pools/exports compiles
		}
		f, err := parser.ParseFile(w.files, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return append(found, err.Error())
		}
		parsed = append(parsed, f)
		if formatted, err := format.Source(text); name != "byhand.go" && (err != nil || string(formatted) != string(text)) {
			found = append(found, name+" is not formatted")
		}
	}
	config := types.Config{Importer: w, FakeImportC: true, Sizes: types.SizesFor("gc", w.arch), Error: func(err error) {
		if said := err.(types.Error); !said.Soft && !lawful.MatchString(said.Msg) || strings.Contains(said.Msg, "declared and not used") {
			found = append(found, err.Error())
		}
	}}
	_, _ = config.Check("pools", w.files, parsed, nil) // reported by Error
	return found
}

// poolNames are predeclared names, keywords, and names that generated code uses.
var poolNames = strings.Fields(`Int Error String Bool Any Len Cap New Make Copy Append Nil True Iota Func Type Init Main Pool Ref Mark Default Alloc Free Core Chunk
	Runtime Cuda Unsafe Config Engine Context Stats Test Example X`)

var qualifiers = strings.Fields(`len cap new make copy append nil true false iota any error string int int64 uint64 uintptr byte bool min max clear panic
	runtime cuda unsafe context os errors sync atomic bits main init pool p s n b err block ctx f dst on stream slot addr comparable Foreign fooDefault
	fooConfig fooBase fixed4Core heapCore none blocks turn ItemSize`)

var packages = strings.Fields(`main init len error string int any runtime cuda unsafe context pools nil true foo p n`)

// shapes are pools that together have every kind of generated code.
var shapes = []string{
	"", ", concurrency: none", ", concurrency: sharded", ", suballocator: heap", ", suballocator: heap, fit: best, concurrency: sharded", ", suballocator: binned, concurrency: sharded",
	", suballocator: classes", ", suballocator: ring", ", suballocator: bump, concurrency: none", ", suballocator: bump, concurrency: sharded", ", suballocator: none",
	", allocator: device, ordering: stream", ", allocator: device, suballocator: heap", ", allocator: device_virtual, suballocator: heap, shareable: true, zero: always",
	", allocator: pinned, suballocator: ring", ", device: each, allocator: device_pool, suballocator: classes", ", allocator: custom, alloc: take, free: give", ", zero: always, trim: {keep: 1MiB}",
}

// TestNames puts names with a meaning in Go into each place that takes a name.
func TestNames(t *testing.T) {
	large.Only(t) // compiles many packages
	tried, accepted := 0, 0
	try := func(text string) {
		tried++
		if compiled(t, text) {
			accepted++
		}
	}
	for i, name := range poolNames {
		for k := range 2 {
			try(fmt.Sprintf("version: 1\npools:\n  - {name: %s, item: uint32%s}\n", name, shapes[(i+5*k)%len(shapes)]))
		}
	}
	for i, q := range qualifiers {
		for k := range 2 {
			shape := shapes[(i+5*k)%len(shapes)]
			try(fmt.Sprintf("version: 1\nimports: {%s: example.com/foreign}\npools:\n  - {name: Foo, item: %s.T%s}\n", q, q, shape))
			try(fmt.Sprintf("version: 1\npools:\n  - {name: Foo, item: %s%s}\n", q, shape))
		}
		try(fmt.Sprintf("version: 1\npools:\n  - {name: Foo, item: uint32, allocator: custom, alloc: %s, free: give}\n", q))
	}
	for _, variable := range strings.Fields("n s p v") {
		try(fmt.Sprintf("version: 1\npools:\n  - {name: Foo, item: %s, allocator: device, suballocator: bump, device_view: true}\n", variable))
	}
	for i, p := range packages {
		try(fmt.Sprintf("version: 1\npackage: %s\npools:\n  - {name: Foo, item: %s%s}\n", p, "uint32", shapes[i%len(shapes)]))
	}
	t.Logf("%d of %d files were accepted", accepted, tried)
	if accepted < tried/4 {
		t.Error("too few to say anything")
	}
}

// FuzzFiles compiles whatever pool file the front accepts.
func FuzzFiles(f *testing.F) {
	for _, info := range spec.Codes() {
		f.Add(info.Good)
	}
	for i, shape := range shapes {
		f.Add(fmt.Sprintf("version: 1\nimports: {mesh: a/b}\ndefaults: {limit: 64MiB}\npools:\n  - {name: Foo, item: %s%s}\n", []string{"uint32", "mesh.T", "Local", "'[3]float64'"}[i%4], shape))
	}
	f.Fuzz(func(t *testing.T, text string) { compiled(t, text) })
}
