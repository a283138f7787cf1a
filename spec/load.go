package spec

import (
	"fmt"
	"slices"
	"strings"
)

// Document is a pool file that was read, but not validated. It does not change, and several goroutines may validate it at once.
type Document struct {
	src   *source
	root  *node
	found []*Diagnostic // findings about the file as YAML, which Validate returns with its own
}

// Load reads the text of a pool file; name is the file name in positions. It returns either a Document or, if the file cannot be read as YAML at all,
// nil and the findings. Findings that leave the rest readable (duplicate keys, anchors, a second document) are kept, and [Document.Validate] returns
// them with all others.
//
// Time and memory are bounded: files above 1 MiB or nested deeper than 32 levels are refused.
func Load(name string, src []byte) (*Document, Diagnostics) {
	s, bad := newSource(name, src)
	if bad != nil {
		return nil, inOrder([]*Diagnostic{bad})
	}
	tree, fail := parseYAML(s)
	if fail != nil {
		return nil, inOrder([]*Diagnostic{locate(s, fail)})
	}
	if tree.deep != nil {
		return nil, inOrder([]*Diagnostic{deepFinding(s, *tree.deep)})
	}
	if tree.root == nil || tree.root.null {
		return nil, inOrder([]*Diagnostic{emptyFinding(s)})
	}
	if odd := oddIndents(s, tree.root); len(odd) > 0 {
		return nil, inOrder(odd)
	}
	doc := &Document{src: s, root: tree.root}
	if tree.second != nil {
		d := s.finding(codeSecondDocument, *tree.second, endOfLine(*tree.second, s.line(tree.second.Line)),
			"a second document begins here, and a pool file is one document")
		d.Help = "remove this line, or put the second document into a file of its own"
		doc.found = append(doc.found, d)
	}
	doc.checkStructure(doc.root)
	return doc, nil
}

// OutputDir returns the directory of the generated files as the file sets it, relative to the pool
// file and not checked; "." if the file does not set it. It is for finding the directory to pass to
// [ScanDir].
func (d *Document) OutputDir() string {
	for _, p := range d.root.pairs {
		if p.key.value == "output" && p.value.kind == scalarNode && !p.value.null {
			return p.value.value
		}
	}
	return "."
}

// OutputPlace returns the place where the file sets its output directory, or the beginning of the file if it does not set it.
func (d *Document) OutputPlace() Position {
	for _, p := range d.root.pairs {
		if p.key.value == "output" {
			return p.value.pos
		}
	}
	return d.root.pos
}

func emptyFinding(s *source) *Diagnostic {
	what := "the file is empty"
	if body := strings.TrimSpace(s.text); body != "" && !slices.ContainsFunc(strings.Split(body, "\n"), uncommented) {
		what = "the file holds comments only"
	}
	d := s.finding(codeEmpty, Position{1, 1}, Position{1, 2}, what)
	d.Help = "write version: 1 and, below it, pools: [{name: Vertex, item: float32}]; or remove the file, and poolgen init writes an annotated one"
	return d
}

// uncommented reports whether a line holds more than a comment.
func uncommented(line string) bool {
	line = strings.TrimSpace(line)
	return line != "" && line[0] != '#'
}

// twiceHelp says what to do about a key that a map has twice.
func twiceHelp(first, second pair) string {
	if kind := first.value.kind; kind == second.value.kind && kind != scalarNode {
		return fmt.Sprintf("remove this line, and move what is below it to line %d", first.key.pos.Line)
	}
	return "remove one of them"
}

func deepFinding(s *source, pos Position) *Diagnostic {
	d := s.finding(codeTooLarge, pos, Position{pos.Line, pos.Column + 1}, "the file is nested deeper than any pool file")
	d.Help = "the deepest setting stands six levels down"
	return d
}

func aliasFinding(s *source, pos, end Position) *Diagnostic {
	d := s.finding(codeAlias, pos, end, "aliases are not part of pool files")
	d.Help = "write the value out, or use defaults for what pools share"
	return d
}

// checkStructure reports structures that YAML allows and pool files do not.
func (d *Document) checkStructure(n *node) {
	s := d.src
	report := func(code Code, at *node, message, help string) *Diagnostic {
		f := s.finding(code, at.pos, at.end, message)
		f.Help = help
		d.found = append(d.found, f)
		return f
	}
	switch {
	case n.kind == aliasNode:
		d.found = append(d.found, aliasFinding(s, n.pos, n.end))
	case n.anchor != "":
		report(codeAlias, n, "anchors are not part of pool files", "remove &"+n.anchor+"; use defaults for what pools share")
	case n.tagged:
		report(codeAlias, n, "tags are not part of pool files", "remove the tag; values have the type of their key")
	}
	if n.template() {
		report(codeKind, n, "this is a placeholder of a template that nobody has filled in", "write a value in its place")
		return
	}
	seen := make(map[string]pair, len(n.pairs))
	for _, p := range n.pairs {
		k := p.key
		first := seen[k.value]
		switch {
		case k.kind != scalarNode:
			report(codeKind, k, "a key is a name, and this is "+k.kind.String(), "write key: value")
		case k.plain && k.value == "<<":
			report(codeAlias, k, "merge keys are not part of pool files", "use defaults for what pools share")
			if p.value.kind == aliasNode {
				continue // the same mistake
			}
		case k.plain && !k.text:
			report(codeKind, k, "a key is a name, and this is "+quote(k.value), "write key: value")
		case first.key != nil:
			if len(d.found) > 2*maxFindings { // the output says that there are more: a file of 1 MiB can have a quarter of a million
				break
			}
			f := report(codeDuplicateKey, k, "the key "+quote(k.value)+" is set twice", twiceHelp(first, p))
			f.Notes = append(f.Notes, s.note(first.key.pos, first.key.end, "first set here"))
		default:
			seen[k.value] = p
		}
		d.checkStructure(k)
		d.checkStructure(p.value)
	}
	for _, item := range n.items {
		d.checkStructure(item)
	}
}
