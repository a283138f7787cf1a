package specialize

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Reduce removes from an instance the values of parameters that have no effect: no package mentions the parameter outside of its declaration, or the
// name is not a parameter there. The output is the same without them. Instances that are then equal except for names have the same code.
func (s *Specializer) Reduce(inst Instance) (Instance, error) {
	p := &program{loader: &s.loader}
	if err := p.link(&inst); err != nil {
		return inst, err
	}
	silent := func(key, _ string) bool {
		pkg, name, _ := strings.Cut(key, ".")
		u := p.byName[pkg]
		return u == nil || !p.isMentioned(u, name) || u.isOrdinary(name)
	}
	inst.Bind, inst.Types = maps.Clone(inst.Bind), maps.Clone(inst.Types)
	maps.DeleteFunc(inst.Bind, silent)
	maps.DeleteFunc(inst.Types, silent)
	return inst, nil
}

// isMentioned reports whether a package of the program mentions what another, or itself, declares.
func (p *program) isMentioned(of *unit, name string) bool {
	if of.mentions()[mention{"", name}] {
		return true
	}
	for _, u := range p.units {
		for imp, dep := range u.deps {
			if dep == of && u.mentions()[mention{imp, name}] {
				return true
			}
		}
	}
	return false
}

// isOrdinary reports whether what a template declares under a name is no parameter.
func (t *template) isOrdinary(name string) bool {
	for _, d := range t.decls {
		for _, id := range d.names {
			if id.Name != name || d.isMethod() {
				continue
			}
			return !slices.ContainsFunc(d.specs, func(s ast.Spec) bool {
				m := d.src.marks[s]
				return m != nil && (m.verb == directiveParam || m.verb == directiveType)
			})
		}
	}
	return false
}

// mention is a name that a template uses: of an imported template, by its path, or of any other, local ones included, with no path.
type mention struct{ path, name string }

// mentions lists what the template mentions in code and in conditions, apart from the names where they are declared at package level.
func (t *template) mentions() map[mention]bool {
	t.mentionsOnce.Do(func() {
		t.mentioned = map[mention]bool{}
		declared := map[*ast.Ident]bool{}
		for _, d := range t.decls {
			for _, id := range d.names {
				declared[id] = true
			}
		}
		for _, s := range t.files {
			paths := s.templatePaths(t)
			note := func(n ast.Node) bool { return t.note(n, paths, declared) }
			for _, d := range s.tree.Decls {
				ast.Inspect(d, note)
			}
			for _, m := range s.marks {
				if m.cond != nil {
					ast.Inspect(m.cond, note)
				}
			}
			for _, par := range s.paragraphs {
				for _, c := range par.clauses {
					ast.Inspect(c.cond.cond, note)
				}
			}
		}
	})
	return t.mentioned
}

// note records what a node mentions.
func (t *template) note(n ast.Node, paths map[string]string, declared map[*ast.Ident]bool) bool {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		if x, ok := n.X.(*ast.Ident); ok && paths[x.Name] != "" {
			t.mentioned[mention{paths[x.Name], n.Sel.Name}] = true
		}
	case *ast.Ident:
		if !declared[n] && types.Universe.Lookup(n.Name) == nil {
			t.mentioned[mention{"", n.Name}] = true
		}
	}
	return true
}

// templatePaths maps the names of the templates that a file imports to their paths.
func (s *source) templatePaths(t *template) map[string]string {
	paths := map[string]string{}
	for _, spec := range s.tree.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil && slices.Contains(t.imports, path) {
			paths[spec.Name.Name] = path
		}
	}
	return paths
}
