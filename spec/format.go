package spec

import (
	"bytes"
	"slices"
)

// Format returns the canonical form of a pool file: keys in the order of the reference, two spaces for each level, one space behind colons and commas, no
// quotes where none are needed, one blank line at most, "\n" at the end of each line. What the file means stays as it is, comments stay with
// what they stand in front of or beside, and whoever wrote a value as a block or in brackets finds it so. Formatting the result changes nothing.
//
// The file need not be right, but be YAML that pool files may consist of; where it is not, Format answers the findings and no text.
func Format(name string, src []byte) ([]byte, Diagnostics) {
	doc, found := Load(name, src)
	if doc == nil {
		return nil, found
	}
	if len(doc.found) > 0 {
		return nil, inOrder(doc.found)
	}
	w := &formatter{remarks: remarksOf(doc)}
	w.document(doc.root)
	out := bytes.TrimLeft(w.out.Bytes(), "\n")
	after, found := Load(name, out)
	if after == nil || !alike(doc.root, after.root) {
		panic("spec: formatting " + name + " would change its meaning: " + found.Text(false))
	}
	return out, nil
}

// alike reports whether two trees mean the same, whatever the order of keys.
func alike(a, b *node) bool {
	if a.kind != b.kind || a.null != b.null || !a.null && a.value != b.value || a.text != b.text || len(a.pairs) != len(b.pairs) || len(a.items) != len(b.items) {
		return false
	}
	for _, p := range a.pairs {
		at := slices.IndexFunc(b.pairs, func(q pair) bool { return alike(p.key, q.key) })
		if at < 0 || !alike(p.value, b.pairs[at].value) {
			return false
		}
	}
	for i := range a.items {
		if !alike(a.items[i], b.items[i]) {
			return false
		}
	}
	return true
}
