package layout

import (
	"bytes"
	"strings"
	"sync"
)

// Span is a range of bytes of a text that holds a name: an identifier or a simple type, in code or in a comment.
type Span struct{ From, To int }

// Formatter formats declarations and remembers the layout of each section that it saw. Its zero value is ready to use; several
// goroutines may use it at a time. It keeps about twice the text of all different sections.
type Formatter struct {
	// moulds are the *mould of free, tight and odd sections by their key, and those of others, and of tight ones with long names, by
	// their key and the lengths of names.
	moulds sync.Map
}

// Format returns text as gofmt has it. The text consists of declarations and comments, without package clause and imports. names are
// the places, in order, that other texts like this one may have other names at; places that hold anything but a plain name in
// ASCII count as text. It fails if the text does not parse.
func (f *Formatter) Format(text string, names []Span) (string, error) {
	if out, ok := f.sections(text, names); ok {
		return out, nil
	}
	return gofmt(text + "\n")
}

// sections formats each section by itself. It is not ok if one of them does not parse.
func (f *Formatter) sections(text string, names []Span) (string, bool) {
	if strings.IndexByte(text, mark) >= 0 {
		return "", false
	}
	out := make([]byte, 0, len(text)+len(text)/8)
	rest, last := text, false
	for at := 0; !last; {
		n := sectionEnd(rest)
		last = n == len(rest)
		s := section{text: strings.TrimRight(rest[:n], " \t\n"), last: last}
		for len(names) > 0 && names[0].From < at+len(s.text) {
			if name := names[0]; name.To <= at+len(s.text) {
				s.add(Span{name.From - at, name.To - at})
			}
			names = names[1:]
		}
		if s.text != "" {
			if len(out) > 0 {
				out = append(out, '\n')
			}
			var ok bool
			if out, ok = f.section(out, &s); !ok {
				return "", false
			}
		}
		rest, at = rest[n:], at+n
	}
	return string(out), true
}

// section appends the formatted section, which ends with a line break.
func (f *Formatter) section(out []byte, s *section) ([]byte, bool) {
	key := s.key()
	if m := f.mould(key); m != nil {
		start := len(out)
		if m.class == odd {
			return whole(out, s)
		}
		if out = m.fill(out, s); m.class == free || short(out[start:]) {
			return out, true
		}
		out = out[:start]
	}
	exact := key + s.lengths()
	m := f.mould(exact)
	if m == nil {
		m = cast(s)
		if m.class == aligned || f.mould(key) != nil {
			f.moulds.Store(exact, m)
		} else {
			f.moulds.Store(key, m)
		}
	}
	if m.class == odd {
		return whole(out, s)
	}
	return m.fill(out, s), true
}

// whole appends a section that no mould helps with.
func whole(out []byte, s *section) ([]byte, bool) {
	text, err := gofmt(s.source())
	return append(out, text...), err == nil
}

// mould returns the mould with a key, nil if there is none yet.
func (f *Formatter) mould(key string) *mould {
	m, _ := f.moulds.Load(key)
	found, _ := m.(*mould)
	return found
}

// sectionEnd returns where the first section of text ends: behind the first blank line that a line without indentation follows which
// may begin a declaration or a comment.
func sectionEnd(text string) int {
	for at := 0; ; {
		i := strings.Index(text[at:], "\n\n")
		if i < 0 {
			return len(text)
		}
		at += i + 2
		for at < len(text) && text[at] == '\n' {
			at++
		}
		if at == len(text) || text[at] == '/' || 'a' <= text[at] && text[at] <= 'z' {
			return at
		}
	}
}

// section is a part of a text with blank lines around it.
type section struct {
	text  string
	names []Span
	kinds []byte // of the names
	last  bool   // nothing follows
}

// add notes a name, if it is plain.
func (s *section) add(name Span) {
	if k := kind(s.text[name.From:name.To]); k != 0 {
		s.names, s.kinds = append(s.names, name), append(s.kinds, k)
	}
}

// mark stands before the kind of a name in keys. No Go text has such a byte.
const mark = 0

// key is the text with names replaced by their kinds. Texts with the same key differ in names alone.
func (s *section) key() string {
	b := make([]byte, 0, len(s.text))
	at := 0
	for i, name := range s.names {
		b = append(append(b, s.text[at:name.From]...), mark, s.kinds[i])
		at = name.To
	}
	return string(append(b, s.text[at:]...))
}

// lengths tells the lengths of the names. No key ends like this, so that keys with and without are different.
func (s *section) lengths() string {
	b := []byte{mark}
	for _, name := range s.names {
		n := name.To - name.From
		b = append(b, byte(n), byte(n>>8), byte(n>>16), mark)
	}
	return string(b)
}

// source is the text as gofmt is to see it: the line break or blank line behind it tells gofmt whether a comment at the end is one of
// its own.
func (s *section) source() string {
	if s.last {
		return s.text + "\n"
	}
	return s.text + "\n\n"
}

// short reports whether no line of formatted code that may have a function body is so long that gofmt might break it.
func short(text []byte) bool {
	for line := range bytes.Lines(text) {
		if len(line) > longest && hasBody(line) {
			return false
		}
	}
	return true
}
