package spec

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// formatter writes the canonical form of a tree.
type formatter struct {
	*remarks
	out    bytes.Buffer
	dashes int // dashes of items that have begun but are not written so far
}

// step is the indentation of each level.
const step = 2

// document writes the document. The comments before the first key are about the file, and stay first.
func (w *formatter) document(root *node) {
	head := w.of[root]
	if head == nil {
		head = w.of[root.pairs[0].key]
	}
	w.comments(0, head.lead)
	head.lead = nil
	switch {
	case w.block(root):
		w.entries(root, FileSection, 0)
	case head.raw:
		w.out.WriteString(strings.Join(w.src.lines[root.pos.Line-1:head.last], "\n") + "\n")
	default:
		w.line(0, head.beside(w.inline(root, FileSection), 0, 0))
	}
	w.comments(0, w.end)
}

// entries writes the entries of a block.
func (w *formatter) entries(n *node, section Section, indent int) {
	for i, p := range ordered(n.pairs, section) {
		m := w.of[p.key]
		w.before(m, indent, i == 0)
		w.entry(p.key, p.value, w.scalar(p.key)+":", within(section, p.key.value), indent)
	}
	for i, item := range n.items {
		m := w.of[item]
		w.before(m, indent, i == 0)
		if w.block(item) {
			w.dashes++
			w.entries(item, section, indent+step)
			w.comments(indent+step, m.foot)
		} else {
			w.entry(item, item, "-", section, indent)
		}
	}
}

// entry writes the key or dash that a value belongs to, and the value.
func (w *formatter) entry(at, value *node, name string, section Section, indent int) {
	m := w.of[at]
	shift := indent - (at.pos.Column - 1)
	switch {
	case w.block(value):
		w.line(indent, m.beside(name, indent, shift))
		w.entries(value, section, indent+step)
		w.comments(indent+step, m.foot)
	case m.raw:
		w.raw(at, value, name, indent, shift)
	default:
		if text := w.inline(value, section); text != "" {
			name += " " + text
		}
		w.line(indent, m.beside(name, indent, shift))
	}
}

// raw writes the lines of an entry unchanged, moved to its new column.
func (w *formatter) raw(at, value *node, name string, indent, shift int) {
	rest := w.from(value.pos)
	if at != value {
		_, rest, _ = strings.Cut(w.from(at.end), ":")
	} else {
		shift -= step // its first column is after the dash
	}
	w.line(indent, strings.TrimRight(name+" "+strings.TrimLeft(rest, " \t"), " \t"))
	for line := at.pos.Line + 1; line <= w.of[at].last; line++ {
		text := w.src.line(line)
		if body := strings.TrimLeft(text, " "); body != "" {
			text = strings.Repeat(" ", max(len(text)-len(body)+shift, 0)) + body
		}
		w.out.WriteString(text + "\n")
	}
}

// before writes the comments and the blank line before an entry.
func (w *formatter) before(m *remark, indent int, top bool) {
	if m.gap && !top {
		w.out.WriteByte('\n')
	}
	w.comments(indent-step*w.dashes, m.lead)
}

// comments writes comment lines.
func (w *formatter) comments(indent int, list []string) {
	for _, text := range list {
		if text != "" {
			text = strings.Repeat(" ", indent) + text
		}
		w.out.WriteString(text + "\n")
	}
}

// line writes a line, with the dashes that are not written so far.
func (w *formatter) line(indent int, text string) {
	w.out.WriteString(strings.Repeat(" ", indent-step*w.dashes) + strings.Repeat("- ", w.dashes) + text + "\n")
	w.dashes = 0
}

// beside adds the comment after an entry in its old column: comments on several lines stay aligned.
func (m *remark) beside(text string, indent, shift int) string {
	if m.tail == "" {
		return text
	}
	gap := m.column + shift - indent - utf8.RuneCountInString(text)
	return text + strings.Repeat(" ", max(gap, 1)) + m.tail
}

// inline writes a value that is on one line.
func (w *formatter) inline(n *node, section Section) string {
	var parts []string
	switch n.kind {
	case listNode:
		for _, item := range n.items {
			parts = append(parts, cmp.Or(w.inline(item, section), "null"))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case mapNode:
		for _, p := range ordered(n.pairs, section) {
			parts = append(parts, w.scalar(p.key)+": "+cmp.Or(w.inline(p.value, within(section, p.key.value)), "null"))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return w.scalar(n)
}

// scalar writes a single value, without quotes if it means the same without them.
func (w *formatter) scalar(n *node) string {
	text := w.from(n.pos)
	switch {
	case n.null && n.value == "":
		return ""
	case n.plain && !strings.Contains(n.value, "\n"):
		return n.value
	case !n.plain && bare.MatchString(n.value) && !word.MatchString(n.value):
		return n.value
	case !n.plain && closingQuote(text) >= 0:
		return text[:closingQuote(text)+1]
	}
	return strconv.Quote(n.value)
}

// bare matches text that needs no quotes, except words with a meaning in YAML.
var (
	bare = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./]*$`)
	word = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off|true|false|null)$`)
)

// ordered returns keys in the order of the reference. Other keys come last, in their order.
func ordered(pairs []pair, section Section) []pair {
	index := sections[section]
	if index == nil {
		return pairs
	}
	place := func(p pair) int {
		if at := slices.Index(index.names, p.key.value); at >= 0 {
			return at
		}
		return len(index.names)
	}
	return slices.SortedStableFunc(slices.Values(pairs), func(p, q pair) int { return cmp.Compare(place(p), place(q)) })
}

// within returns the section of the keys in the value of a key; "" if it has none.
func within(section Section, key string) Section {
	if section == FileSection && key == "defaults" {
		return PoolSection
	}
	if sections[Section(key)] != nil {
		return Section(key)
	}
	return ""
}
