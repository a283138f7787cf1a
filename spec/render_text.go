package spec

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxExcerpt is how many characters of a long line an excerpt shows.
const maxExcerpt = 120

// paint holds the escape sequences of coloured output; all are empty without colour.
type paint struct {
	bold, red, blue, off string
}

func paintFor(color bool) paint {
	if !color {
		return paint{}
	}
	return paint{bold: "\x1b[1m", red: "\x1b[1;31m", blue: "\x1b[34m", off: "\x1b[0m"}
}

// Text prints the findings for people, an empty line between two of them.
func (ds Diagnostics) Text(color bool) string {
	parts := make([]string, len(ds))
	for i, d := range ds {
		parts[i] = d.Text(color)
	}
	return strings.Join(parts, "\n")
}

// Text prints the finding for people: place and message, the line with the value marked, help, and notes.
// color adds escape sequences of a terminal.
//
//	poolgen.yaml:12:17: PG014: pool "Vertex": chunk_size 1KiB cannot hold one block of 4096 bytes
//	   12 |     chunk_size: 1KiB
//	      |                 ^~~~
//	help: use chunk_size: 64KiB (16 blocks), or leave it out
func (d Diagnostic) Text(color bool) string {
	var b strings.Builder
	c := paintFor(color)
	fmt.Fprintf(&b, "%s%s:%s %s%s:%s %s\n", c.bold, Printable(place(d.File, d.Pos)), c.off, c.red, d.Code, c.off, Printable(d.Message))
	writeExcerpt(&b, c, d.Excerpt, d.Pos, d.End)
	if d.Help != "" {
		fmt.Fprintf(&b, "%shelp:%s %s\n", c.bold, c.off, Printable(d.Help))
	}
	for _, n := range d.Notes {
		at := ""
		if n.Pos.Line > 0 {
			at = place(n.File, n.Pos) + ": "
		}
		fmt.Fprintf(&b, "%snote:%s %s%s\n", c.bold, c.off, Printable(at), Printable(n.Message))
		writeExcerpt(&b, c, n.Excerpt, n.Pos, n.End)
	}
	return b.String()
}

// writeExcerpt prints a line of the file and marks a part of it.
func writeExcerpt(b *strings.Builder, c paint, line string, pos, end Position) {
	if strings.TrimSpace(line) == "" {
		return
	}
	shown, column := window(line, pos.Column)
	before, width := column-1, max(1, end.Column-pos.Column)
	width = max(1, min(width, utf8.RuneCountInString(shown)-before))
	fmt.Fprintf(b, "%s%5d |%s %s\n", c.blue, pos.Line, c.off, Printable(shown))
	fmt.Fprintf(b, "%s      |%s %s%s^%s%s\n", c.blue, c.off, indentLike(shown, before), c.red, strings.Repeat("~", width-1), c.off)
}

// window cuts a long line down to the part around a column, and returns the position of the column in that part.
func window(line string, column int) (shown string, at int) {
	skip := 0
	if column > maxExcerpt*3/4 {
		skip = column - maxExcerpt/2
	}
	from := byteOffset(line, skip)
	to := from + byteOffset(line[from:], maxExcerpt)
	shown = line[from:to]
	if to < len(line) {
		shown += "…"
	}
	if skip > 0 {
		return "…" + shown, column - skip + 1
	}
	return strings.TrimRight(shown, " \t"), column
}

// byteOffset returns the byte at which the rune with an index begins, at most the length.
func byteOffset(text string, runes int) int {
	for i := range text {
		if runes == 0 {
			return i
		}
		runes--
	}
	return len(text)
}

// indentLike returns blank text as wide as the first characters of a line. Tabs stay, whatever their width.
func indentLike(line string, runes int) string {
	var b strings.Builder
	for _, r := range line {
		if runes--; runes < 0 {
			break
		}
		if r == '\t' {
			b.WriteRune(r)
		} else {
			b.WriteByte(' ')
		}
	}
	for ; runes > 0; runes-- {
		b.WriteByte(' ')
	}
	return b.String()
}

// Printable replaces what a terminal would interpret, and what is not text in Go files.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && hidden(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(text, string(unicode.ReplacementChar)))
}
