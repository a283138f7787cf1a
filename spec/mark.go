package spec

// Mark completes findings that stages after Validate made about values of the document: they know the place where a value begins, and
// get the line and the end of the value. Findings that are complete, or about no place, stay as they are.
func (d *Document) Mark(found Diagnostics) {
	for i := range found {
		f := &found[i]
		if f.Excerpt != "" || f.Pos == (Position{}) {
			continue
		}
		f.Excerpt, f.End = d.src.line(f.Pos.Line), Position{f.Pos.Line, f.Pos.Column + 1}
		if n := d.root.at(f.Pos); n != nil {
			f.End = n.end
		}
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
