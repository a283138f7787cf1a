package spec

import (
	"bytes"
	"slices"
	"strings"
)

// Format returns the canonical form of a pool file: keys in the order of the reference, two spaces for each level, one space behind colons and commas, no
// quotes where none are needed, one blank line at most, "\n" at the end of each line. What the file means stays as it is, comments stay with
// what they stand in front of or beside, and whoever wrote a value as a block or in brackets finds it so. Formatting the result changes nothing.
//
// The file need not be right, but be YAML that pool files may consist of; where it is not, Format answers the findings and no text. The result is read again before
// it is answered: a file that would mean something else, for a text with blanks at the ends of lines say, stays as it is.
func Format(name string, src []byte) ([]byte, Diagnostics) {
	doc, found := Load(name, src)
	if doc == nil {
		return nil, found
	}
	if len(doc.found) > 0 {
		return nil, inOrder(doc.found)
	}
	if doc.root.kind != mapNode {
		_, found := doc.Validate(Env{})
		return nil, found
	}
	w := &formatter{remarks: remarksOf(doc)}
	w.document(doc.root)
	out := bytes.TrimLeft(w.out.Bytes(), "\n")
	if after, _ := Load(name, out); after == nil || !alike(doc.root, after.root) {
		return src, nil
	}
	return out, nil
}

// alike reports whether two trees mean the same, whatever the order of keys. A text at the end of a file may get the end of its last line.
func alike(a, b *node) bool {
	same := a.kind == b.kind && a.null == b.null && a.text == b.text && len(a.pairs) == len(b.pairs) && len(a.items) == len(b.items)
	if !same || !a.null && strings.TrimRight(a.value, "\n") != strings.TrimRight(b.value, "\n") {
		return false
	}
	values := map[string]*node{} // keys are names, each there once
	for _, p := range b.pairs {
		values[p.key.value] = p.value
	}
	for _, p := range a.pairs {
		if v := values[p.key.value]; v == nil || !alike(p.value, v) {
			return false
		}
	}
	return slices.EqualFunc(a.items, b.items, alike)
}
