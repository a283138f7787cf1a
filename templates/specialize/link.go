package specialize

import (
	"maps"
	"slices"
)

// linker finds the packages of an instance, depth first from the root.
type linker struct {
	*program
	inst   *Instance
	byPath map[string]*unit
	open   map[string]bool // packages whose imports are being linked
	within map[string]bool // replacements of which that is so
}

// link finds the packages that belong to the instance.
func (p *program) link(inst *Instance) error {
	if err := p.accept(inst.Given); err != nil {
		return err
	}
	for from, to := range inst.Replace {
		if _, ok := p.loader.lib[from]; !ok {
			return fault("replaced package %q is no template", from)
		}
		if _, ok := p.loader.lib[to]; !ok {
			return fault("no template package %q, to link in place of %q", to, from)
		}
	}
	l := linker{program: p, inst: inst, byPath: map[string]*unit{}, open: map[string]bool{}, within: map[string]bool{}}
	if _, err := l.add(inst.Root); err != nil {
		return err
	}
	if err := p.nameUnits(); err != nil {
		return err
	}
	return l.checkUse()
}

// Linked lists the import paths of the templates of an instance, without given packages: the root first, then in order of first import.
func (s *Specializer) Linked(inst Instance) ([]string, error) {
	p := &program{loader: &s.loader}
	if err := p.link(&inst); err != nil {
		return nil, err
	}
	paths := make([]string, len(p.units))
	for i, u := range p.units {
		paths[i] = u.path
	}
	return paths, nil
}

// target returns what an import stands for. A replacement that imports the package it replaces gets that package.
func (l *linker) target(imp string) string {
	if to, ok := l.inst.Replace[imp]; ok && !l.within[to] {
		return to
	}
	return imp
}

// add links a package and its imports.
func (l *linker) add(path string) (*unit, error) {
	if l.open[path] {
		return nil, fault("template package %q imports itself", path)
	}
	if u := l.byPath[path]; u != nil {
		return u, l.checkAgain(u)
	}
	t, err := l.loader.load(path)
	if err != nil {
		return nil, err
	}
	u := &unit{template: t, deps: map[string]*unit{}}
	l.byPath[path], l.open[path] = u, true
	l.units = append(l.units, u)
	for _, imp := range t.imports {
		if u.deps[imp], err = l.dependency(imp); err != nil {
			return nil, err
		}
	}
	delete(l.open, path)
	return u, nil
}

// dependency links what an import stands for, unless that is given.
func (l *linker) dependency(imp string) (*unit, error) {
	if g := l.inst.Given[imp]; g != nil {
		return g.program.units[0], nil
	}
	to := l.target(imp)
	if to != imp {
		l.within[to] = true
		defer delete(l.within, to)
	}
	return l.add(to)
}

// checkAgain refuses a package that is linked already and would have other packages this time.
func (l *linker) checkAgain(u *unit) error {
	for imp, dep := range u.deps {
		if to := l.target(imp); l.inst.Given[imp] == nil && to != dep.path {
			return fault("template package %q would be linked with %q for one import of it, and with %q for another", u.path, dep.path, to)
		}
	}
	return nil
}

// nameUnits makes a table of the packages by name. Names must be different.
func (p *program) nameUnits() error {
	p.byName = map[string]*unit{}
	for _, u := range p.units {
		if other := p.byName[u.name]; other != nil {
			return fault("template packages %q and %q have the same name", other.path, u.path)
		}
		p.byName[u.name] = u
	}
	return nil
}

// checkUse refuses packages that the instance names and that are not imported.
func (l *linker) checkUse() error {
	for _, imp := range slices.Sorted(maps.Keys(l.inst.Given)) {
		if !slices.ContainsFunc(l.units, func(u *unit) bool { return u.deps[imp] != nil }) {
			return fault("no template of the instance imports %q, which is given", imp)
		}
	}
	for _, from := range slices.Sorted(maps.Keys(l.inst.Replace)) {
		if to := l.inst.Replace[from]; l.byPath[to] == nil {
			return fault("no template of the instance imports %q, to be replaced by %q", from, to)
		}
	}
	return nil
}
