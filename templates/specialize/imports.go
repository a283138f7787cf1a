package specialize

import (
	"go/token"
	"go/types"
	"path"
	"strings"
)

// nameImports gives each import path in use its local name: the name in the first file that imports it, unless a name of the caller, of what is
// given, or declared elsewhere is the same. Imports of the caller must also not be shadowed by a name of the templates.
func (p *program) nameImports(declared map[string]string) error {
	p.quals = map[string]string{}
	taken := map[string]bool{}
	for name := range declared {
		taken[name] = true
	}
	for _, given := range p.given {
		for _, name := range given.Declared {
			taken[name] = true
		}
	}
	foreigns := p.foreigns()
	for _, f := range foreigns {
		for _, id := range f.bare {
			taken[id.Name] = true
		}
	}
	add := func(imp, name string, clash func(string) bool) {
		if p.quals[imp] == "" {
			p.quals[imp] = Fresh(name, imp, clash)
			taken[p.quals[imp]] = true
		}
	}
	for _, u := range p.units {
		for _, d := range u.decls {
			if !p.live[d] || p.user.types[p.info.Defs[d.names[0]]] != nil {
				continue
			}
			for _, r := range p.refs[d] {
				if r.path == "" {
					continue
				}
				add(r.path, r.name, func(s string) bool { return taken[s] || s != r.name && p.locals[s] != nil })
				if q := p.quals[r.path]; q != r.name && p.isLocal(u, q) {
					return p.at(r.from, "%q is imported as %s, which is a local name here", r.path, q)
				}
			}
		}
	}
	for _, f := range foreigns {
		for _, id := range f.quals {
			add(p.user.paths[id.Name], id.Name, func(s string) bool {
				return taken[s] || p.locals[s] != nil
			})
		}
	}
	return nil
}

// isLocal reports whether a function of the unit declares a name.
func (p *program) isLocal(u *unit, name string) bool {
	for _, l := range p.locals[name] {
		if l.unit == u {
			return true
		}
	}
	return false
}

// Fresh returns a name like the given one for a package that is not taken.
func Fresh(name, importPath string, taken func(string) bool) string {
	if !taken(name) {
		return name
	}
	parent := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, path.Base(path.Dir(importPath)))
	name = strings.TrimLeft(parent, "0123456789") + name
	for taken(name) || token.IsKeyword(name) || types.Universe.Lookup(name) != nil {
		name += "pkg"
	}
	return name
}

// LocalName returns the name that an import declaration has to give to a package called name: "" if the path ends in the name, and the name
// does not look like a major version, such as v2.
func LocalName(name, importPath string) string {
	if path.Base(importPath) == name && !isVersion(name) {
		return ""
	}
	return name
}

func isVersion(name string) bool {
	digits, ok := strings.CutPrefix(name, "v")
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}
