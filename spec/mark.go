package spec

// Mark completes findings of stages after Validate about values of the document. These findings have the place where a value begins;
// Mark adds the line and the end of the value. Findings that are complete, have no place or are about another file do not change.
func (d *Document) Mark(found Diagnostics) {
	for i := range found {
		f := &found[i]
		d.mark(f.File, f.Pos, &f.End, &f.Excerpt)
		for j := range f.Notes {
			n := &f.Notes[j]
			d.mark(n.File, n.Pos, &n.End, &n.Excerpt)
		}
	}
}

func (d *Document) mark(file string, pos Position, end *Position, excerpt *string) {
	if *excerpt != "" || file != d.src.file || pos == (Position{}) {
		return
	}
	*excerpt, *end = d.src.line(pos.Line), Position{pos.Line, pos.Column + 1}
	if n := d.root.at(pos); n != nil {
		*end = n.end
	}
}

// at returns the innermost node that begins at a place; nil if there is none.
func (n *node) at(pos Position) *node {
	var found *node
	if n.pos == pos {
		found = n
	}
	look := func(child *node) {
		if at := child.at(pos); at != nil {
			found = at
		}
	}
	for _, item := range n.items {
		look(item)
	}
	for _, p := range n.pairs {
		look(p.key)
		look(p.value)
	}
	return found
}
