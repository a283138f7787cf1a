package spec

import (
	"bytes"
	"slices"
	"strings"
)

// Format returns the canonical form of a pool file: keys in the order of the reference, two spaces for each level, one space after colons and commas,
// no quotes where none are needed, one blank line at most, all lines with the end of the first. The meaning of the file does not change. Comments stay
// before or beside the same entries, and values written as blocks, or in brackets, stay so. Formatting the result changes nothing.
//
// The file need not be valid, but it must be YAML of the kind that pool files allow; otherwise Format returns the findings and no text. Format reads
// the result again before it returns it. A file whose meaning would change, for example a text with blanks at the ends of lines, is returned
// unchanged.
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
	if first, _, ended := bytes.Cut(src, []byte("\n")); ended && bytes.HasSuffix(first, []byte("\r")) {
		out = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))
	}
	return out, nil
}

// alike reports whether two trees mean the same, whatever the order of keys. The last line of a text at the end of a file may get a line end.
func alike(a, b *node) bool {
	same := a.kind == b.kind && a.null == b.null && a.text == b.text && len(a.pairs) == len(b.pairs) && len(a.items) == len(b.items)
	if !same || !a.null && strings.TrimRight(a.value, "\n") != strings.TrimRight(b.value, "\n") {
		return false
	}
	values := map[string]*node{} // keys are names, each used once
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
