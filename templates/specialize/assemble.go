package specialize

import (
	"sort"
	"strings"
	"sync"
)

// Result is the residual source of one instance.
type Result struct {
	Imports  []Import // what Text uses: standard library first, each part sorted by path
	Text     string   // all declarations, formatted; without package clause and imports
	Declared []string // names declared at package level, in order of Text

	// Names gives the name of each declaration in Text by its name in the templates: "heap.chunk" -> "vertexHeapChunk".
	Names map[string]string

	program *program // that made it
	face    func() string
}

// assemble joins the edited files, the root's first, and verifies the result.
func (p *program) assemble() (*Result, error) {
	r := &Result{Imports: p.imports(), Names: map[string]string{}, program: p, face: sync.OnceValue(p.face)}
	var text strings.Builder
	for _, u := range p.units {
		for _, d := range u.decls {
			obj := p.info.Defs[d.names[0]]
			if rhs := p.user.alias[obj]; rhs != "" {
				name := p.aliases[obj]
				text.WriteString("// " + name + " is the item type, under a name that nothing shadows.\ntype " + name + " = " + rhs + "\n\n")
				r.Declared = append(r.Declared, name)
			}
		}
	}
	for _, u := range p.units {
		for _, s := range u.files {
			if !p.hasLive(u, s) {
				continue
			}
			edited, err := apply(s.text, s.body, len(s.text), p.edits[s])
			if err != nil {
				return nil, fault("%s: %v", s.name, err)
			}
			text.WriteString(edited + "\n\n")
		}
	}
	for _, obj := range p.named() {
		r.Declared = append(r.Declared, p.names[obj])
		r.Names[p.owner[obj.Pkg()].name+"."+obj.Name()] = p.names[obj]
	}
	return r, p.verify(r, strings.TrimRight(tidy(text.String()), " \t\n"))
}

// hasLive reports whether a file contributes to the output.
func (p *program) hasLive(u *unit, s *source) bool {
	for _, d := range u.decls {
		if d.src == s && p.live[d] && !d.isAlias() {
			return true
		}
	}
	return false
}

// imports lists the imports that live declarations use.
func (p *program) imports() []Import {
	var list []Import
	for path, name := range p.quals {
		list = append(list, Import{LocalName(name, path), path})
	}
	sort.Slice(list, func(i, j int) bool {
		a, b := list[i].Path, list[j].Path
		if isStd(a) != isStd(b) {
			return isStd(a)
		}
		return a < b
	})
	return list
}

// isStd reports whether a path is of the standard library: its first element has no dot.
func isStd(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// File returns a Go file: the header, unchanged, the package clause, the imports and the declarations.
func (r *Result) File(header, pkg string) []byte {
	var b strings.Builder
	if header = strings.TrimRight(header, "\n"); header != "" {
		b.WriteString(header + "\n\n")
	}
	b.WriteString(r.clause(pkg))
	b.WriteString(r.Text)
	return []byte(b.String())
}

// clause writes the package clause and the imports, with a blank line after each.
func (r *Result) clause(pkg string) string {
	var b strings.Builder
	b.WriteString("package " + pkg + "\n\n")
	line := func(i Import) string {
		if i.Name == "" {
			return `"` + i.Path + `"`
		}
		return i.Name + ` "` + i.Path + `"`
	}
	switch len(r.Imports) {
	case 0:
		return b.String()
	case 1:
		b.WriteString("import " + line(r.Imports[0]) + "\n\n")
		return b.String()
	}
	b.WriteString("import (\n")
	for i, imp := range r.Imports {
		if i > 0 && isStd(imp.Path) != isStd(r.Imports[i-1].Path) {
			b.WriteString("\n")
		}
		b.WriteString("\t" + line(imp) + "\n")
	}
	b.WriteString(")\n\n")
	return b.String()
}
