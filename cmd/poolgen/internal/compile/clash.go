package compile

import (
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/poolgen/poolgen/spec"
)

// claim is a part of the pool file that declares names in the output, unexported ones or those of imports.
type claim struct {
	what   string // as messages name it
	pos    spec.Position
	prefix string          // prefix of its names
	words  bool            // its names may also have a word in front, as those of the API of a pool that is not exported
	files  []string        // that declare them
	names  map[string]bool // nil until the files were parsed
}

// clashes finds unexported names that two parts of the pool file would both declare. Exported names were checked with the pool file;
// these depend on the templates: the suballocator of a pool Mesh has a type meshCoreSpace, as a pool MeshCore might.
func (b *build) clashes(ctx context.Context) spec.Diagnostics {
	plan, files := b.Plan, b.files
	var claims []*claim
	for _, budget := range b.Budgets {
		claims = append(claims, &claim{what: fmt.Sprintf("budget %q", budget.Spec.Name), pos: budget.Spec.Pos, prefix: budget.Var, names: map[string]bool{budget.Var: true}})
	}
	for _, imp := range plan.Imports {
		claims = append(claims, &claim{what: fmt.Sprintf("import %q", imp.Qualifier), pos: imp.Pos, prefix: imp.Qualifier, names: map[string]bool{imp.Qualifier: true}})
	}
	for _, p := range b.Pools {
		claims = append(claims, &claim{what: fmt.Sprintf("pool %q", p.Spec.Name), pos: p.Spec.Pos, prefix: p.Names.Prefix, words: !token.IsExported(p.Spec.Name), files: p.Files.Go()})
	}
	for _, c := range b.Cores {
		p := c.Pools[0].Spec
		claims = append(claims, &claim{what: fmt.Sprintf("the suballocator of pool %q", p.Name), pos: p.Pos, prefix: c.Type, files: []string{c.File}})
	}
	var found spec.Diagnostics
	owner := map[string]*claim{}
	for _, b := range claims {
		if ctx.Err() != nil {
			return nil
		}
		if !slices.ContainsFunc(claims, func(a *claim) bool { return a != b && (a.words || b.words || related(a.prefix, b.prefix)) }) {
			continue
		}
		if err := b.parse(files); err != nil {
			return broken(plan, b.what, err)
		}
		told := map[*claim]bool{}
		for _, name := range slices.Sorted(maps.Keys(b.names)) {
			a := owner[name]
			if a == nil {
				owner[name] = b
			} else if !told[a] {
				told[a] = true
				found = append(found, plan.Finding(spec.CodeCollision, b.pos, "give one of the two another name",
					fmt.Sprintf("%s: it collides with %s: both would declare %s", b.what, a.what, name),
					spec.Note{File: plan.File, Pos: a.pos, Message: "the other one"}))
			}
		}
	}
	return found
}

// related reports whether names that begin with one prefix can begin with the other: after the shorter one, a word begins.
func related(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	rest, is := strings.CutPrefix(b, a)
	next, _ := utf8.DecodeRuneInString(rest)
	return is && (rest == "" || unicode.IsUpper(next))
}

// parse finds the names that the files of a claim declare.
func (c *claim) parse(files map[string][]byte) error {
	if c.names != nil {
		return nil
	}
	c.names = map[string]bool{}
	for _, name := range c.files {
		f, err := parser.ParseFile(token.NewFileSet(), name, files[name], 0)
		if err != nil {
			return err
		}
		for name := range f.Scope.Objects {
			c.names[name] = true
		}
	}
	return nil
}
