package lower

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/templates"
	"github.com/poolgen/poolgen/tests/fatal"
)

// declared lists the parameters that templates declare: "fixed.blockSize".
func declared(t *testing.T) map[string]bool {
	t.Helper()
	params := map[string]bool{}
	for pkg, files := range templates.Library() {
		for name, text := range files {
			f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments)
			fatal.If(t, err)
			for _, d := range f.Decls {
				g, ok := d.(*ast.GenDecl)
				if !ok {
					continue
				}
				for _, s := range g.Specs {
					name, doc := "", g.Doc
					switch s := s.(type) {
					case *ast.ValueSpec:
						if name = s.Names[0].Name; g.Lparen.IsValid() {
							doc = s.Doc
						}
					case *ast.TypeSpec:
						if name = s.Name.Name; g.Lparen.IsValid() {
							doc = s.Doc
						}
					}
					if doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool { return c.Text == "//poolgen:param" || c.Text == "//poolgen:type" }) {
						params[path.Base(pkg)+"."+name] = true
					}
				}
			}
		}
	}
	return params
}

// TestSettings: the table has each parameter of each template once, and no other. A parameter that suballocators share by name is declared by at
// least one of them.
func TestSettings(t *testing.T) {
	params := declared(t)
	if len(params) < 30 {
		t.Fatalf("found %d parameters only: %v", len(params), params)
	}
	for _, s := range settings {
		some, common := false, slices.Equal(s.in, cores)
		for _, template := range s.in {
			key := template + "." + s.name
			if !params[key] && !common {
				t.Errorf("no template declares %s, or the table has it twice", key)
			}
			some = some || params[key]
			delete(params, key)
		}
		if !some {
			t.Errorf("no suballocator declares %s, or the table has it twice", s.name)
		}
	}
	if len(params) > 0 {
		t.Errorf("no setting for %v", slices.Sorted(maps.Keys(params)))
	}
}

// TestTemplatesOfSuballocators: the templates of each suballocator exist, and its core is made of the one that a pool is linked with.
func TestTemplatesOfSuballocators(t *testing.T) {
	library := templates.Library()
	for _, s := range spec.Suballocators() {
		info := s.Info()
		for _, name := range []string{info.Template, info.Sharded} {
			if name != "" && library[template(name)] == nil {
				t.Errorf("suballocator %s: no template %s", s, name)
			}
		}
		pool := "version: 1\npools: [{name: Foo, suballocator: " + string(s)
		if info.OneSize {
			pool += ", item: uint64"
		}
		if root := planned(t, pool+"}]\n").Cores[0].Instance.Root; root != template(info.Template) {
			t.Errorf("suballocator %s: its core is made of %s", s, root)
		}
	}
}

// TestKeyOf: a finding about a value that only a template refuses names a key of pools.
func TestKeyOf(t *testing.T) {
	for param, want := range map[string]string{
		"fixed.blockSize": "block_size", "strict.itemBytes": "item", "bump.marks": "suballocator",
		"feature.Locked": "concurrency", "item.config": "", "no.such": "",
	} {
		if got := KeyOf(param); got != want {
			t.Errorf("%s: got %q, want %q", param, got, want)
		}
	}
	for _, s := range settings {
		for _, key := range strings.Fields(s.keys) {
			if !slices.ContainsFunc(spec.Keys(spec.PoolSection), func(k spec.Key) bool { return k.Name == key }) {
				t.Errorf("setting %s: pools have no key %s", s.name, key)
			}
		}
	}
}
