package specialize

import (
	"go/ast"
	"go/token"
	"go/types"
)

// shaker finds the declarations that the wanted ones need.
type shaker struct {
	*program
	methods map[*decl][]*decl // of each type
	types   []*decl           // live ones
	shown   map[*decl]bool    // types whose exported methods stay; nil for all types
	names   map[string]bool   // methods called in ways that the checker cannot follow
	err     error
}

// shake keeps the exported declarations of the root, or the only one that is wanted, and what they need. The exported methods of a type stay if other code
// can name the type: any type, or, if only one declaration is wanted, that type and those in the signatures of its methods. In the root's package shake also
// keeps what is named in keep.
func (p *program) shake(want string, keep map[string]bool) error {
	p.live, p.borrowed = map[*decl]bool{}, map[types.Object]bool{}
	s := &shaker{program: p, methods: map[*decl][]*decl{}, names: map[string]bool{}}
	for _, u := range p.units {
		for _, d := range u.decls {
			if d.isMethod() {
				t := p.decls[u.types.Scope().Lookup(d.recv)]
				s.methods[t] = append(s.methods[t], d)
			}
		}
	}
	for name := range keep {
		s.names[name] = true
	}
	if want != "" {
		s.shown = map[*decl]bool{}
		s.show(p.decls[p.units[0].types.Scope().Lookup(want)])
	}
	for _, d := range p.units[0].decls {
		if want == "" && s.isRoot(d, keep) || want != "" && d.declares(want) {
			s.reach(d)
		}
	}
	if want != "" && len(p.live) == 0 {
		return fault("the root declares no %s", want)
	}
	for _, u := range p.units {
		for _, d := range u.decls {
			if d.isBlank() && !p.gone[d] && p.isCheck(d) {
				s.reach(d)
			}
		}
	}
	for _, u := range p.units {
		for _, d := range u.decls {
			if d.isBlank() && !p.gone[d] && s.holds(d) {
				s.reach(d)
			}
		}
	}
	return s.err
}

// isRoot reports whether a declaration of the root package is wanted for itself: what is exported, and what is there under a
// condition that holds. Parameters are not: what is left of them is up to the code that uses them.
func (s *shaker) isRoot(d *decl, keep map[string]bool) bool {
	if s.gone[d] || d.isMethod() && d.mark == nil || keep == nil && d.isAlias() {
		return false
	}
	if d.mark != nil && d.mark.verb == directiveIf {
		return true
	}
	for _, id := range d.names {
		if keep[id.Name] {
			return true
		}
		if id.IsExported() && (keep != nil || !s.isParam(s.info.Defs[id])) {
			return true
		}
	}
	return false
}

// show records a type whose exported methods stay, and the types in their signatures.
func (s *shaker) show(t *decl) {
	if t == nil || t.tok != token.TYPE || s.shown[t] {
		return
	}
	s.shown[t] = true
	for _, m := range s.methods[t] {
		if s.gone[m] || !m.names[0].IsExported() {
			continue
		}
		signature := m.node.(*ast.FuncDecl).Type
		for _, r := range s.refs[m] {
			if signature.Pos() <= r.from && r.from < signature.End() {
				s.show(s.decls[r.obj])
			}
		}
	}
}

// reach keeps a declaration and what it refers to.
func (s *shaker) reach(d *decl) {
	if d == nil || s.live[d] {
		return
	}
	s.live[d] = true
	s.follow(s.refs[d])
	for _, spec := range d.specs {
		s.reach(s.decls[s.values[s.bound[spec]]])
	}
	if d.tok == token.TYPE {
		s.types = append(s.types, d)
		s.reachMethods(d)
	}
}

// follow keeps what refs refer to.
func (s *shaker) follow(refs []ref) {
	for _, r := range refs {
		if pos, lost := s.lost[r.obj]; lost && r.obj != nil {
			if s.err == nil {
				s.err = s.at(r.from, "use of %s, which is pruned (%s)", r.obj.Name(), s.position(pos))
			}
			continue
		}
		switch {
		case s.isGiven(r.obj):
			if err := s.borrow(r); s.err == nil {
				s.err = err
			}
		case r.obj != nil:
			s.reach(s.decls[r.obj])
		case r.path == "" && !s.names[r.name]:
			s.names[r.name] = true
			for _, t := range s.types {
				s.reachMethods(t)
			}
		}
	}
}

// reachMethods keeps the methods of a live type that are exported, if such stay, and those called in ways that the checker cannot follow.
func (s *shaker) reachMethods(t *decl) {
	exported := s.shown == nil || s.shown[t]
	for _, m := range s.methods[t] {
		if name := m.names[0]; !s.gone[m] && (exported && name.IsExported() || s.names[name.Name]) {
			s.reach(m)
		}
	}
}

// isCheck reports whether a blank declaration asserts something that only the compiler of the output can check. The others have been checked already.
func (p *program) isCheck(d *decl) bool {
	return p.checks[d].opaque || p.checks[d].open
}

// holds reports whether a blank declaration is still needed: it is about types or functions that are all live, and not only about constants.
func (s *shaker) holds(d *decl) bool {
	useful := s.checks[d].size
	for _, r := range s.refs[d] {
		if r.path != "" && r.path != "unsafe" {
			useful = true
		}
		if r.obj == nil || r.obj.Name() == "_" {
			continue
		}
		if t := s.decls[r.obj]; t == nil || !s.live[t] {
			return false
		}
		if _, ok := r.obj.(*types.Const); !ok {
			useful = true
		}
	}
	return useful
}
