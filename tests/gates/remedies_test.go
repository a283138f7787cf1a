package gates

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// literals returns the strings in the composite literal of a variable: the elements of a list, or keys and values of a map in turn. Neither package
// runtime nor its tests import spec, because programs that import runtime must not need the modules of spec. Therefore the test reads its source.
func literals(t *testing.T, file, variable string) (list []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(tempmod.Root(t), filepath.FromSlash(file)), nil, 0)
	fatal.If(t, err)
	ast.Inspect(f, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && v.Names[0].Name == variable && len(v.Values) == 1 {
			ast.Inspect(v.Values[0], func(n ast.Node) bool {
				if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
					text, err := strconv.Unquote(l.Value)
					fatal.If(t, err)
					list = append(list, text)
				}
				return true
			})
		}
		return true
	})
	if len(list) == 0 {
		t.Fatalf("%s has no strings in a variable %s", file, variable)
	}
	return list
}

// TestRemediesNameKeys checks that the errors of a suballocator name keys that its pools have, and no others.
func TestRemediesNameKeys(t *testing.T) {
	words := map[string]string{}
	for pair := range slices.Chunk(literals(t, "runtime/poolimpl/remedies.go", "inSeveral"), 2) {
		words[pair[0]] = pair[1]
	}
	for _, key := range spec.Keys(spec.PoolSection) {
		if !slices.Contains([]string{"fit", "bins", "cache", "arena_size"}, key.Name) {
			continue
		}
		for _, s := range spec.Suballocators() {
			if has, named := slices.Contains(key.Suballocators, s), strings.Contains(words[string(s)], key.Name); has != named {
				t.Errorf("%s: its pools have the key %s: %t, its words name it: %t", s, key.Name, has, named)
			}
		}
	}
	arenas := literals(t, "runtime/poolimpl/remedies.go", "arenas")
	for _, s := range spec.Suballocators() {
		if has, listed := s.Info().Arenas, slices.Contains(arenas, string(s)); has != listed {
			t.Errorf("%s: it has arenas: %t, it is listed as one that has: %t", s, has, listed)
		}
	}
}
