package spec

import (
	"strings"
	"unicode/utf8"
)

// nodeKind is the kind of a node of a pool file.
type nodeKind int

const (
	scalarNode nodeKind = iota
	mapNode
	listNode
	aliasNode // *name; never followed
)

// String returns the name of the kind for messages.
func (k nodeKind) String() string {
	return [...]string{"a value", "a block of keys", "a list", "an alias"}[k]
}

// node is a value of a pool file and its place.
type node struct {
	kind    nodeKind
	value   string // scalars: the text, quotes and folds resolved
	plain   bool   // scalars: written without quotes and not as a text block
	null    bool   // scalars: empty, ~ or null
	text    bool   // scalars: YAML takes it for text, not for a number or a boolean
	anchor  string
	tagged  bool // with an explicit !tag
	guessed bool // its key is not known, and it is read as the value of the key that was meant
	pos     Position
	end     Position // just past the part on the line of pos
	pairs   []pair   // maps, in file order
	items   []*node  // lists
}

// pair is one key of a map with its value.
type pair struct {
	key, value *node
}

// told reports whether reading the file already caused a finding about n, or about a node around it: readers then skip n.
func (n *node) told() bool { return n.kind == aliasNode || n.template() }

// template reports whether n is the placeholder of a template, {{ .Name }}, which YAML takes for a map in a map.
func (n *node) template() bool {
	return n.kind == mapNode && len(n.pairs) == 1 && n.pairs[0].key.kind == mapNode
}

// inline writes n on one line.
func (n *node) inline() string {
	var parts []string
	switch n.kind {
	case listNode:
		for _, item := range n.items {
			parts = append(parts, item.inline())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case mapNode:
		for _, p := range n.pairs {
			parts = append(parts, p.key.value+": "+p.value.inline())
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return n.value
}

// setEnd finds where the marked part of n ends on its first line. tail is the part of that line from n on. The parser has only starts.
func (n *node) setEnd(tail string) {
	width := 1
	switch {
	case n.kind == scalarNode && n.plain:
		width = plainWidth(n.value, tail)
	case n.kind == scalarNode && tail != "" && (tail[0] == '"' || tail[0] == '\''):
		width = quotedWidth(tail)
	case n.kind == mapNode && len(n.pairs) > 0 && !strings.HasPrefix(tail, "{"):
		width = utf8.RuneCountInString(n.pairs[0].key.value)
	case n.kind == listNode || n.kind == mapNode:
		width = flowWidth(tail)
	case n.kind == aliasNode:
		width = 1 + utf8.RuneCountInString(n.value)
	}
	n.end = Position{n.pos.Line, n.pos.Column + max(width, 1)}
}

// plainWidth measures an unquoted scalar. One of several lines is marked to the end of the first.
func plainWidth(value, tail string) int {
	if strings.HasPrefix(tail, value) {
		return utf8.RuneCountInString(value)
	}
	tail, _, _ = strings.Cut(tail, " #")
	return utf8.RuneCountInString(strings.TrimRight(tail, " \t"))
}

// quotedWidth measures a quoted scalar, quotes included.
func quotedWidth(tail string) int {
	if n := closingQuote(tail); n >= 0 {
		return utf8.RuneCountInString(tail[:n+1])
	}
	return utf8.RuneCountInString(strings.TrimRight(tail, " \t"))
}

// closingQuote returns the index of the quote that closes the one text begins with; -1 if it is not on the line.
func closingQuote(text string) int {
	quote := text[0]
	for i := 1; i < len(text); i++ {
		switch {
		case quote == '"' && text[i] == '\\':
			i++
		case quote == '\'' && text[i] == '\'' && i+1 < len(text) && text[i+1] == '\'':
			i++
		case text[i] == quote:
			return i
		}
	}
	return -1
}

// flowWidth measures a list or map in brackets up to its closing one, if that is on the line; a block
// list up to the end of its first line.
func flowWidth(tail string) int {
	depth, last := 0, 0
	for i := 0; i < len(tail); i++ {
		switch c := tail[i]; {
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth--; depth == 0 {
				return utf8.RuneCountInString(tail[:i+1])
			}
		case (c == '"' || c == '\'') && depth > 0 && strings.IndexByte(" [{,:", tail[i-1]) >= 0:
			n := closingQuote(tail[i:])
			if n < 0 {
				return utf8.RuneCountInString(tail)
			}
			i += n
		case c == '#' && (i == 0 || tail[i-1] == ' '):
			return max(1, utf8.RuneCountInString(tail[:last]))
		}
		if tail[i] != ' ' {
			last = i + 1
		}
	}
	return utf8.RuneCountInString(tail[:min(last, len(tail))])
}
