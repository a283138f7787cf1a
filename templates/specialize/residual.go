package specialize

import (
	"go/ast"
	"go/format"
	"go/types"
	"path"
	"strings"
)

// Residual specialises one package alone, for its own tests to run against: values are bound and what they
// decide is pruned and shaken, but nothing is linked or renamed, and aliases stay. Values may be given to parameters of any
// package it imports, since they decide branches too; these packages are then to be specialised likewise.
// Declarations named in keep, which are those that test files use, stay alive. The result maps file names to texts.
func (s *Specializer) Residual(pkg string, bind map[string]string, keep map[string]bool) (map[string]string, error) {
	values, types := map[string]string{}, map[string]string{}
	for key, text := range bind {
		if s.isTypeKey(key) {
			types[key] = text
		} else {
			values[key] = text
		}
	}
	p, err := s.prepare(&Instance{Root: pkg, Bind: values, Types: types})
	if err != nil {
		return nil, err
	}
	p.collectValues()
	if keep == nil {
		keep = map[string]bool{}
	}
	if err := p.shake("", keep); err != nil {
		return nil, err
	}
	u := p.units[0]
	files := map[string]string{}
	for _, s := range u.files {
		for _, d := range u.decls {
			if d.src == s && p.live[d] {
				if err := p.bindEdits(d); err != nil {
					return nil, err
				}
			}
		}
		p.deleteDead(u, s, false)
		p.deleteImports(u, s)
		text, err := apply(s.text, 0, len(s.text), p.edits[s])
		if err != nil {
			return nil, fault("%s: %v", s.name, err)
		}
		out, err := format.Source([]byte(tidy(text)))
		if err != nil {
			return nil, fault("residual of %s does not parse: %v", s.name, err)
		}
		files[s.base] = string(out)
	}
	return files, nil
}

// Residual is [Specializer.Residual] for a single package.
func Residual(lib Library, pkg string, bind map[string]string, keep map[string]bool) (map[string]string, error) {
	return New(lib).Residual(pkg, bind, keep)
}

// isTypeKey reports whether key names a type parameter of a package of the library.
func (s *Specializer) isTypeKey(key string) bool {
	pkg, name, _ := strings.Cut(key, ".")
	for at := range s.loader.lib {
		if path.Base(at) != pkg {
			continue
		}
		t, err := s.loader.load(at)
		if err != nil {
			return false
		}
		for _, d := range t.decls {
			if d.isAlias() && d.names[0].Name == name {
				return true
			}
		}
	}
	return false
}

// deleteImports deletes the imports of a file that nothing live uses.
func (p *program) deleteImports(u *unit, s *source) {
	used := map[types.Object]bool{}
	named := map[string]bool{} // in values, whose imports are the file's
	for _, d := range u.decls {
		if d.src != s || !p.live[d] {
			continue
		}
		ast.Inspect(p.root(d), func(n ast.Node) bool {
			if n == nil || p.dropped[n] {
				return false
			}
			if id, ok := n.(*ast.Ident); ok {
				used[p.info.Uses[id]] = true
			}
			return true
		})
		for _, spec := range d.specs {
			if b := p.bound[spec]; b != nil {
				ast.Inspect(b.expr, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						named[id.Name] = true
					}
					return true
				})
			}
		}
	}
	dead := map[ast.Node]bool{}
	for _, spec := range s.tree.Imports {
		if pkg := p.imported(spec); !used[pkg] && !named[pkg.Name()] {
			dead[spec] = true
		}
	}
	for _, d := range s.tree.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			break
		}
		left := len(g.Specs)
		for _, spec := range g.Specs {
			if dead[spec] {
				left--
				p.deleteNode(s, spec, spec.(*ast.ImportSpec).Doc)
			}
		}
		if _, isImport := g.Specs[0].(*ast.ImportSpec); isImport && left == 0 {
			p.deleteNode(s, g, g.Doc)
		}
	}
}

// imported returns the object of an import.
func (p *program) imported(spec *ast.ImportSpec) types.Object {
	if spec.Name != nil {
		return p.info.Defs[spec.Name]
	}
	return p.info.Implicits[spec]
}
