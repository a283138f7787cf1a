package spec

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxFileBytes bounds a pool file. A thousand pools with every key set take less; a larger file is refused
// before it is parsed. A program that reads a pool file from disk can stop one byte after this bound.
const MaxFileBytes = 1 << 20

// source is the text of a pool file, with line ends made equal.
type source struct {
	file  string
	text  string   // "\n" ends each line; no byte order mark
	lines []string // of text, without their ends
}

// newSource checks that src is text and splits it into lines. The finding, if any, is about the first
// character that no pool file may hold.
func newSource(file string, src []byte) (*source, *Diagnostic) {
	s := &source{file: file}
	if len(src) > MaxFileBytes {
		d := s.finding(codeTooLarge, Position{1, 1}, Position{1, 2}, "the file has more than "+FormatSize(MaxFileBytes)+", and a pool file never has")
		d.Help = "split it into several pool files"
		return s, d
	}
	text := strings.TrimPrefix(string(src), "\ufeff")
	if strings.Contains(text, "\r") {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	s.text = text
	s.lines = strings.Split(text, "\n")
	return s, s.badCharacter()
}

// badCharacter finds the first character that is not text.
func (s *source) badCharacter() *Diagnostic {
	pos := Position{1, 1}
	for i, r := range s.text {
		what, help := "", "remove it"
		switch {
		case r == '\n':
			pos = Position{pos.Line + 1, 1}
			continue
		case r == utf8.RuneError && !strings.HasPrefix(s.text[i:], "\ufffd"):
			what, help = "a byte that is not UTF-8", "save the file in the encoding UTF-8"
			if strings.HasPrefix(s.text, "\xff\xfe") || strings.HasPrefix(s.text, "\xfe\xff") {
				what = "UTF-16, and pool files are UTF-8"
			}
		case r == 0:
			what, help = "a NUL character", "remove it; if there are many, save the file in the encoding UTF-8"
		case r == '\u2028' || r == '\u2029' || r == '\u0085':
			what = "a line separator that most editors do not show"
		case r == '\ufeff':
			what = "a byte order mark in the middle"
		case r != '\t' && unicode.IsControl(r):
			what = "a control character"
		case bidirectional(r):
			what = "a character that reorders the text around it"
		}
		if what != "" {
			d := s.finding(codeNotText, pos, Position{pos.Line, pos.Column + 1}, "the file holds "+what)
			d.Help = help
			return d
		}
		pos.Column++
	}
	return nil
}

// hidden reports whether r is not seen, or changes how the text around it is seen.
func hidden(r rune) bool {
	return unicode.IsControl(r) || bidirectional(r) || r == '\u2028' || r == '\u2029' || r == '\ufeff'
}

// bidirectional reports whether r changes the direction of the text after it: a reader would see a different text than the compiler.
func bidirectional(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// finding makes a diagnostic about a place of the file.
func (s *source) finding(code Code, pos, end Position, message string) *Diagnostic {
	return &Diagnostic{Code: code, File: s.file, Pos: pos, End: end, Message: message, Excerpt: s.line(pos.Line)}
}

// note makes a note about a place of the file.
func (s *source) note(pos, end Position, message string) Note {
	return Note{File: s.file, Pos: pos, End: end, Message: message, Excerpt: s.line(pos.Line)}
}

// line returns the text of a line, counted from 1; "" outside the file.
func (s *source) line(n int) string {
	if n < 1 || n > len(s.lines) {
		return ""
	}
	return s.lines[n-1]
}

// cursor finds places of a source. It does not read long lines repeatedly if the places are near each other.
type cursor struct {
	src    *source
	at     Position
	offset int // offset of at in its line, in bytes
}

// tail returns the rest of the line from pos on.
func (c *cursor) tail(pos Position) string {
	line := c.src.line(pos.Line)
	if pos.Line != c.at.Line {
		c.at, c.offset = Position{pos.Line, 1}, 0
	}
	for c.at.Column > pos.Column && c.offset > 0 {
		_, width := utf8.DecodeLastRuneInString(line[:c.offset])
		c.offset -= width
		c.at.Column--
	}
	for c.at.Column < pos.Column && c.offset < len(line) {
		_, width := utf8.DecodeRuneInString(line[c.offset:])
		c.offset += width
		c.at.Column++
	}
	return line[c.offset:]
}
