package layout

import (
	"bytes"
	"go/format"
	"go/parser"
	"go/token"
	"strings"
)

// mould is a formatted section with places to put names in.
type mould struct {
	class class
	text  string
	names []Span
}

// fill appends the mould with the names of s.
func (m *mould) fill(out []byte, s *section) []byte {
	at := 0
	for i, hole := range m.names {
		name := s.names[i]
		out = append(out, m.text[at:hole.From]...)
		out = append(out, s.text[name.From:name.To]...)
		at = hole.To
	}
	return append(out, m.text[at:]...)
}

// cast formats a section and finds its names again. The mould of an odd one is empty.
func cast(s *section) *mould {
	fset := token.NewFileSet()
	source := head + s.source()
	f, err := parser.ParseFile(fset, "", source, mode)
	if err != nil {
		return &mould{class: odd}
	}
	var b bytes.Buffer
	b.Grow(len(source) + len(source)/8)
	if err := format.Node(&b, fset, f); err != nil {
		return &mould{class: odd}
	}
	out, ok := strings.CutPrefix(b.String(), head)
	if !ok {
		return &mould{class: odd}
	}
	names, ok := moved(s, out)
	if !ok {
		return &mould{class: odd}
	}
	c := judge(fset, f, s)
	switch {
	case c == odd:
		return &mould{class: odd}
	case c == tight && lines(s.text) != lines(out):
		c = aligned // a body did not stay on its line, but may with other names
	}
	return &mould{c, out, names}
}

// moved finds the names of a section in its formatted text, which is to have the same bytes but for white space and for parentheses
// that gofmt drops.
func moved(s *section, out string) ([]Span, bool) {
	names := make([]Span, 0, len(s.names))
	j := 0
	next := s.names
	for i := 0; i < len(s.text); i++ {
		if isSpace(s.text[i]) {
			continue
		}
		for j < len(out) && isSpace(out[j]) {
			j++
		}
		if len(next) > 0 && next[0].From == i {
			name := s.text[i:next[0].To]
			if !strings.HasPrefix(out[j:], name) {
				return nil, false
			}
			names = append(names, Span{j, j + len(name)})
			i, j, next = i+len(name)-1, j+len(name), next[1:]
			continue
		}
		switch {
		case j < len(out) && out[j] == s.text[i]:
			j++
		case s.text[i] != '(' && s.text[i] != ')':
			return nil, false
		}
	}
	return names, len(next) == 0 && strings.TrimSpace(out[j:]) == ""
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

const (
	clause = "package p\n"
	head   = clause + "\n"
	mode   = parser.ParseComments | parser.SkipObjectResolution
)

// gofmt formats declarations as they are.
func gofmt(text string) (string, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", head+text, mode)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := format.Node(&b, fset, f); err != nil {
		return "", err
	}
	return strings.TrimPrefix(strings.TrimPrefix(b.String(), clause), "\n"), nil
}
