package spec

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// remark holds the comments on an entry of a pool file: a key with its value, or an item of a list.
type remark struct {
	gap    bool     // a blank line comes first
	lead   []string // the comment lines before the entry; "" for blank lines between them
	tail   string   // the comment after it, on its line
	column int      // column of that comment, from 0
	foot   []string // of a block: the comment lines after its last entry
	last   int      // last line of the entry, if it is not a block
	raw    bool     // its lines must not change: it is a text, or has comments inside
}

// remarks are the comments of a file. The YAML library returns comments, too, but it loses blank lines and attaches some comments to another level.
type remarks struct {
	src    *source
	place  cursor
	of     map[*node]*remark // by the key of an entry, or the item
	starts []int             // lines where entries of blocks begin, ascending
	line   int               // the next one to read
	end    []string          // comments at the end of the file
}

// remarksOf reads the comments of a document.
func remarksOf(d *Document) *remarks {
	r := &remarks{src: d.src, place: cursor{src: d.src}, of: map[*node]*remark{}, line: 1}
	if !r.block(d.root) {
		r.entry(d.root, d.root)
	}
	r.find(d.root)
	slices.Sort(r.starts)
	r.read(d.root)
	r.end = r.foot(1)
	return r
}

// find notes where entries begin.
func (r *remarks) find(n *node) {
	if !r.block(n) {
		return
	}
	for _, p := range n.pairs {
		r.starts = append(r.starts, p.key.pos.Line)
		r.find(p.value)
	}
	for _, item := range n.items {
		r.starts = append(r.starts, item.pos.Line)
		r.find(item)
	}
}

// read reads the comments of a block.
func (r *remarks) read(n *node) {
	if !r.block(n) {
		return
	}
	for _, p := range n.pairs {
		r.entry(p.key, p.value)
	}
	for _, item := range n.items {
		r.entry(item, item)
	}
}

// entry reads the comments of an entry that begins at a node.
func (r *remarks) entry(at, value *node) {
	m := &remark{lead: r.lead(at.pos.Line)}
	r.of[at] = m
	if m.gap = len(m.lead) > 0 && m.lead[0] == ""; m.gap {
		m.lead = m.lead[1:]
	}
	if !r.block(value) {
		m.last, m.raw = r.extent(at, value)
		if m.last == at.pos.Line && !m.raw {
			m.behind(r.from(value.end), value.end.Column)
		}
		r.line = m.last + 1
		return
	}
	if value.pos.Line > at.pos.Line {
		m.behind(r.from(at.end), at.end.Column)
		r.line = at.pos.Line + 1
	}
	r.read(value)
	column := value.pos.Column
	if at != value {
		column = max(column, at.pos.Column+1) // dashes may have the column of their list's key
	}
	m.foot = r.foot(column)
}

// behind reads the comment on a line, from a column on.
func (m *remark) behind(text string, column int) {
	if at := strings.Index(text, "#"); at >= 0 {
		m.tail = strings.TrimRight(text[at:], " \t")
		m.column = column - 1 + utf8.RuneCountInString(text[:at])
	}
}

// lead reads the comments and blank lines before a line. Several blank lines in a row count as one.
func (r *remarks) lead(before int) (list []string) {
	for ; r.line < before; r.line++ {
		text, _ := comment(r.src.line(r.line))
		if text != "" || len(list) == 0 || list[len(list)-1] != "" {
			list = append(list, text)
		}
	}
	return list
}

// foot reads the comments that follow, up to the first one that begins left of a column, and the blank lines between them.
func (r *remarks) foot(column int) (list []string) {
	var read []string
	for at := r.line; at <= len(r.src.lines); at++ {
		text, begins := comment(r.src.line(at))
		if text == "" && begins == 0 {
			if len(read) == 0 || read[len(read)-1] != "" {
				read = append(read, "")
			}
			continue
		}
		if text == "" || begins < column {
			break
		}
		read = append(read, text)
		list, r.line = read, at+1
	}
	return list
}

// comment returns the comment that a line consists of and the column where the line begins; "" and 0 for a blank line, "" and the column for any
// other. The dash of an item that begins on a later line, and document markers, count as blank.
func comment(line string) (text string, column int) {
	body := strings.TrimLeft(line, " \t")
	column = len(line) - len(body) + 1
	for _, mark := range []string{"---", "...", "-"} {
		if rest, ok := strings.CutPrefix(body, mark); ok && strings.TrimLeft(rest, " \t") != rest || body == mark {
			body = strings.TrimLeft(rest, " \t")
			break
		}
	}
	switch {
	case body == "":
		return "", 0
	case body[0] == '#':
		return strings.TrimRight(body, " \t"), column
	}
	return "", column
}

// extent finds the last line of an entry that is not a block, and whether its lines must not change.
func (r *remarks) extent(at, value *node) (last int, raw bool) {
	if value.kind == scalarNode && !value.plain && strings.ContainsAny(first(r.from(value.pos)), "|>") {
		return r.textEnd(at, value), true
	}
	last = len(r.src.lines)
	if k, _ := slices.BinarySearch(r.starts, at.pos.Line+1); k < len(r.starts) {
		last = r.starts[k] - 1
	}
	for last > at.pos.Line {
		if text, begins := comment(r.src.line(last)); text == "" && begins > 0 {
			break
		}
		last--
	}
	for line := at.pos.Line; line <= last && last > at.pos.Line; line++ {
		raw = raw || strings.Contains(r.src.line(line), "#")
	}
	return last, raw
}

// textEnd finds the last line of a text block: the following lines belong to it as long as they are blank or indented further than its key.
func (r *remarks) textEnd(at, value *node) int {
	outside := at.pos.Column
	if at == value {
		outside -= 2 // the dash
	}
	last := value.pos.Line
	for line := last + 1; line <= len(r.src.lines); line++ {
		text := r.src.line(line)
		body := strings.TrimLeft(text, " ")
		if body != "" && len(text)-len(body)+1 <= outside {
			break
		}
		if body != "" {
			last = line
		}
	}
	return last
}

// block reports whether the entries of a node are on lines of their own.
func (r *remarks) block(n *node) bool {
	return (n.kind == mapNode || n.kind == listNode) && !strings.ContainsAny(first(r.from(n.pos)), "[{")
}

// from returns the rest of a line from a place on.
func (r *remarks) from(pos Position) string { return r.place.tail(pos) }

// first returns the first byte of a text, if it has one.
func first(text string) string { return text[:min(len(text), 1)] }
