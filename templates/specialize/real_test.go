package specialize_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/templates"
	"github.com/poolgen/poolgen/templates/specialize"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/large"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// behind are the templates that shells are written with.
var behind = map[string]string{"item": "fixed", "span": "heap"}

// switches are sets of features under which each pool is specialised.
var switches = []map[string]string{
	{},
	{"feature.Locked": "false"},
	{"feature.Counters": "false", "feature.Trims": "false"},
	{"feature.Locked": "false", "feature.Counters": "false", "feature.Trims": "false", "feature.ZeroAlways": "true"},
}

// real has what the tests of all templates share.
var real = specialize.New(templates.Library())

// TestRealTemplates specialises every shell over every core and memory, and type-checks the
// output against the real runtime and standard library.
func TestRealTemplates(t *testing.T) {
	fset := token.NewFileSet()
	compiled, err := tempmod.Compile(nil, tempmod.Path+"/runtime/poolimpl/cores/...", tempmod.Path+"/cuda", "image")
	fatal.If(t, err)
	imports := importer.ForCompiler(fset, "gc", compiled.Open)
	for name, inst := range realInstances() {
		t.Run(name, func(t *testing.T) {
			r, err := real.Specialize(inst)
			fatal.If(t, err)
			src := r.File("// Code generated.", "out")
			if dir := os.Getenv("RESIDUAL_DIR"); dir != "" {
				sub := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
				os.MkdirAll(sub, 0o777)
				os.WriteFile(filepath.Join(sub, "out.go"), src, 0o666)
			}
			f, err := parser.ParseFile(fset, "out.go", src, parser.ParseComments)
			fatal.If(t, err)
			conf := types.Config{Importer: imports, Error: func(err error) { t.Error(err) }}
			conf.Check("out", fset, []*ast.File{f}, nil)
		})
	}
}

// memories are the templates that stand for memory: with addresses, and without.
var memories = []string{"hostmem", "numbers"}

// realInstances lists an instance for each combination; in the small form, of memory with addresses.
func realInstances() map[string]specialize.Instance { return instances(memories[:large.Or(2, 1)]) }

// instances lists an instance for each combination with some memories.
func instances(memories []string) map[string]specialize.Instance {
	all := map[string]specialize.Instance{}
	at := func(name string) string { return templates.Path + "/" + name }
	for _, s := range spec.Suballocators() {
		info := s.Info()
		shell, core := "span", info.Template
		if info.OneSize {
			shell = "item"
		}
		for _, mem := range memories {
			for i, bind := range switches {
				inst := specialize.Instance{
					Root:    at(shell),
					Replace: map[string]string{},
					Bind:    maps.Clone(bind),
					Names:   map[string]string{shell + ".Pool": "VertexPool"},
					Prefix:  "vertex",
				}
				if info.Order == spec.AllAtOnce {
					inst.Bind["span.frees"] = "false"
				}
				if info.Marks {
					inst.Names[core+".Mark"] = "VertexMark"
				}
				if core != behind[shell] {
					inst.Replace[at(behind[shell])] = at(core)
				}
				if mem == "numbers" {
					inst.Replace[at("hostmem")] = at(mem)
					inst.Names["numbers.ID"] = "VertexID"
					inst.Names["numbers.IDs"] = "VertexIDs"
				}
				all[strings.Join([]string{shell, core, mem, string(rune('0' + i))}, "/")] = inst
			}
		}
	}
	all["item/user"] = userInstance(at("item"))
	return all
}

// userInstance is a pool of a type of another package, as the command makes it.
func userInstance(root string) specialize.Instance {
	return specialize.Instance{
		Root: root,
		Bind: map[string]string{
			"fixed.blockSize": "(uint64(unsafe.Sizeof(image.Point{})) + 15) &^ 15",
			"fixed.itemBytes": "uint64(unsafe.Sizeof(image.Point{}))",
			"item.config":     `poolimpl.Config{Name: "Point", Core: &fixed.Params{BlockSize: uint64(unsafe.Sizeof(image.Point{}))}, Limit: 1 << 20, ChunkSize: 1 << 16}`,
		},
		Types: map[string]string{"hostmem.Item": "image.Point"},
		Imports: map[string]string{
			"image": "image", "fixed": "github.com/poolgen/poolgen/runtime/poolimpl/cores/fixed",
			"poolrt": "github.com/poolgen/poolgen/runtime", "poolimpl": "github.com/poolgen/poolgen/runtime/poolimpl",
		},
		Names:  map[string]string{"item.Pool": "PointPool", "item.Ref": "PointRef"},
		Prefix: "point",
	}
}
