package specialize

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// rename gives every live declaration its name and every import its local name, and checks that no two things in one scope have the same name.
func (p *program) rename(inst *Instance) error {
	if err := p.checkNames(inst); err != nil {
		return err
	}
	if err := p.nameImports(inst.Taken); err != nil {
		return err
	}
	if err := p.nameTypes(inst); err != nil {
		return err
	}
	p.names = map[types.Object]string{}
	p.nameGiven()
	owner := map[string]types.Object{}
	explicit := map[types.Object]bool{}
	objs, foreigns := p.named(), p.foreigns()
	for _, obj := range objs {
		u := p.owner[obj.Pkg()]
		if name := inst.Names[u.name+"."+obj.Name()]; name != "" {
			p.names[obj], explicit[obj] = name, true
		} else if obj.Name() == "Core" && inst.Prefix != "" {
			p.names[obj], explicit[obj] = join(inst.Prefix, u.name), true
		} else {
			p.names[obj] = join(inst.Prefix, obj.Name())
		}
	}
	count := map[string]int{}
	for _, obj := range objs {
		count[p.names[obj]]++
	}
	for _, obj := range objs {
		if count[p.names[obj]] > 1 && !explicit[obj] {
			p.names[obj] = join(inst.Prefix, p.owner[obj.Pkg()].name, obj.Name())
		}
		name := p.names[obj]
		if other := owner[name]; other != nil {
			return p.at(obj.Pos(), "%s and %s of %s would both be called %s", obj.Name(), other.Name(), p.position(other.Pos()), name)
		}
		owner[name] = obj
		if err := p.checkName(name, obj, foreigns); err != nil {
			return err
		}
	}
	return nil
}

// named lists the live package-level objects in order of the output.
func (p *program) named() []types.Object {
	var objs []types.Object
	for _, u := range p.units {
		for _, d := range u.decls {
			if !p.live[d] || d.isMethod() || d.isAlias() {
				continue
			}
			for _, id := range d.names {
				if id.Name != "_" {
					objs = append(objs, p.info.Defs[id])
				}
			}
		}
	}
	return objs
}

// checkNames refuses explicit names of what is not declared.
func (p *program) checkNames(inst *Instance) error {
	for _, key := range slices.Sorted(maps.Keys(inst.Names)) {
		pkg, name, _ := strings.Cut(key, ".")
		u := p.byName[pkg]
		if u == nil {
			return fault("name for %s: no template package %s is linked", key, pkg)
		}
		if obj := u.types.Scope().Lookup(name); obj == nil || p.decls[obj] == nil || p.decls[obj].isAlias() {
			return fault("name for %s: the template declares no such thing", key)
		}
	}
	return nil
}

// checkName refuses names that would be shadowed, or shadow others.
func (p *program) checkName(name string, obj types.Object, foreigns []*foreign) error {
	where := "%s would be called %s, which is "
	if !token.IsIdentifier(name) || types.Universe.Lookup(name) != nil || name == "_" || name == "init" {
		return p.at(obj.Pos(), where+"no name to give", obj.Name(), name)
	}
	for _, l := range p.locals[name] {
		if name != obj.Name() || l.unit != p.owner[obj.Pkg()] {
			return p.at(obj.Pos(), where+"a local name at %s", obj.Name(), name, p.position(l.pos))
		}
	}
	for imp, q := range p.quals {
		if q == name {
			return p.taken(name, p.at(obj.Pos(), where+"the name of an import (%s)", obj.Name(), name, imp))
		}
	}
	for _, f := range foreigns {
		for _, id := range f.bare {
			if id.Name == name {
				return p.taken(name, p.at(obj.Pos(), where+"used in %s", obj.Name(), name, f.text))
			}
		}
	}
	return nil
}

// taken records the name in an error.
func (p *program) taken(name string, err *Error) error {
	err.Taken = name
	return err
}

// foreigns lists the expressions of the caller that are in use.
func (p *program) foreigns() []*foreign {
	var list []*foreign
	for _, u := range p.units {
		for _, d := range u.decls {
			if !p.live[d] {
				continue
			}
			for _, id := range d.names {
				if f := p.user.types[p.info.Defs[id]]; f != nil {
					list = append(list, f)
				}
			}
			for _, spec := range d.specs {
				if f := p.user.values[p.bound[spec]]; f != nil {
					list = append(list, f)
				}
			}
		}
	}
	return list
}

// nameTypes writes the types for type parameters. A type that mentions a name which a function of the templates uses for something else is declared
// under a name of its own.
func (p *program) nameTypes(inst *Instance) error {
	p.aliases = map[types.Object]string{}
	for _, u := range p.units {
		for _, d := range u.decls {
			obj := p.info.Defs[d.names[0]]
			f := p.user.types[obj]
			if f == nil || !p.live[d] {
				continue
			}
			text, err := p.foreignText(f)
			if err != nil {
				return err
			}
			for _, id := range f.bare {
				if _, shadowed := p.locals[id.Name]; shadowed {
					p.user.alias[obj] = text
					text = join(inst.Prefix, obj.Name())
					break
				}
			}
			p.aliases[obj] = text
		}
	}
	return nil
}

// aliasText returns what an alias of the templates stands for in the output.
func (p *program) aliasText(obj types.Object) (string, error) {
	if text, ok := p.aliases[obj]; ok {
		return text, nil
	}
	d := p.decls[obj]
	rhs := d.node.(*ast.TypeSpec).Type
	from, to := d.src.offset(rhs.Pos()), d.src.offset(rhs.End())
	edits, err := p.refEdits(d, rhs.Pos())
	if err != nil {
		return "", err
	}
	text, err := apply(d.src.text, from, to, edits)
	p.aliases[obj] = text
	return text, err
}

// join makes a name of a prefix and words: "vertex", "heap" and "chunk" are vertexHeapChunk.
func join(prefix string, words ...string) string {
	name := prefix
	for _, w := range words {
		if name != "" {
			w = title(w)
		}
		name += w
	}
	return name
}

func title(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
