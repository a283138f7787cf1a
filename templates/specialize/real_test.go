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

	"github.com/poolgen/poolgen/templates"
	"github.com/poolgen/poolgen/templates/specialize"
)

// shells are the templates that pools are made from, with the cores that each takes.
var shells = map[string][]string{
	"item": {"fixed"},
	"span": {"heap", "binned", "classes", "ring", "bump", "direct"},
}

// switches are sets of features under which each pool is specialised.
var switches = []map[string]string{
	{},
	{"feature.Locked": "false"},
	{"feature.Counters": "false", "feature.Trims": "false"},
	{"feature.Locked": "false", "feature.Counters": "false", "feature.Trims": "false", "feature.ZeroAlways": "true"},
}

// TestRealTemplates specialises every shell over every core and memory, and type-checks the
// output against the real runtime and standard library.
func TestRealTemplates(t *testing.T) {
	lib := templates.Library()
	s := specialize.New(lib)
	fset := token.NewFileSet()
	real := importer.ForCompiler(fset, "source", nil)
	for name, inst := range realInstances(lib) {
		t.Run(name, func(t *testing.T) {
			r, err := s.Specialize(inst)
			if err != nil {
				t.Fatal(err)
			}
			src := r.File("// Code generated.", "out")
			if dir := os.Getenv("RESIDUAL_DIR"); dir != "" {
				sub := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
				os.MkdirAll(sub, 0o777)
				os.WriteFile(filepath.Join(sub, "out.go"), src, 0o666)
			}
			f, err := parser.ParseFile(fset, "out.go", src, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			conf := types.Config{Importer: real, Error: func(err error) { t.Error(err) }}
			conf.Check("out", fset, []*ast.File{f}, nil)
		})
	}
}

// realInstances lists an instance for each combination whose templates exist.
func realInstances(lib specialize.Library) map[string]specialize.Instance {
	all := map[string]specialize.Instance{}
	at := func(name string) string { return templates.Path + "/" + name }
	for shell, cores := range shells {
		if lib[at(shell)] == nil {
			continue
		}
		for _, core := range cores {
			if lib[at(core)] == nil {
				continue
			}
			for _, mem := range []string{"hostmem", "numbers"} {
				for i, bind := range switches {
					inst := specialize.Instance{
						Root:    at(shell),
						Replace: map[string]string{},
						Bind:    bind,
						Names:   map[string]string{shell + ".Pool": "VertexPool"},
						Prefix:  "vertex",
					}
					if core == "bump" {
						inst.Bind = maps.Clone(bind)
						inst.Bind["span.frees"] = "false"
						inst.Bind["span.spilled"] = "false"
						inst.Names["bump.Mark"] = "VertexMark"
					}
					if core != cores[0] {
						inst.Replace[at(cores[0])] = at(core)
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
	}
	if lib[at("item")] != nil && lib[at("fixed")] != nil {
		all["item/user"] = userInstance(at("item"))
	}
	return all
}

// userInstance is a pool of a type of another package, as the command makes it.
func userInstance(root string) specialize.Instance {
	return specialize.Instance{
		Root: root,
		Bind: map[string]string{
			"fixed.blockSize": "(uint64(unsafe.Sizeof(image.Point{})) + 15) &^ 15",
			"fixed.itemBytes": "uint64(unsafe.Sizeof(image.Point{}))",
			"fixed.single":    "true",
			"item.config":     `poolrt.Config{Name: "Point", Limit: 1 << 20, ChunkSize: 1 << 16}`,
			"item.spilled":    "false",
		},
		Types: map[string]string{"hostmem.Item": "image.Point", "fixed.index": "uint16"},
		Imports: map[string]string{
			"image":  "image",
			"poolrt": "github.com/poolgen/poolgen/runtime",
		},
		Names:  map[string]string{"item.Pool": "PointPool", "item.Ref": "PointRef"},
		Prefix: "point",
	}
}
