package spec

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// locate finds the place of a syntax error. The YAML library often names the line where the enclosing
// construct began, so this scanner reads the file again, the way people do: by indentation, keys, quotes
// and brackets. It is only asked about files that the library refused, so what it takes for an error in
// a file that is none does no harm. Time is linear in the size of the file.
func locate(s *source, fail *yamlError) *Diagnostic {
	if name, ok := strings.CutPrefix(fail.message, "unknown anchor '"); ok {
		name, _, _ = strings.Cut(name, "'")
		if d := findAlias(s, name); d != nil {
			return d
		}
	}
	c := &scanner{src: s}
	for c.line < len(s.lines) && c.found == nil {
		c.scanLine()
	}
	if c.found != nil {
		return c.found
	}
	pos := Position{max(fail.line, 1), 1}
	text := s.line(pos.Line)
	pos.Column += len(text) - len(strings.TrimLeft(text, " "))
	d := s.finding(codeSyntax, pos, endOfLine(pos, text), "the file is not valid YAML near this line: "+fail.message)
	d.Help = "look for a missing colon, quote or bracket, or for another indentation, here and just above"
	return d
}

// findAlias points at the alias whose anchor is missing.
func findAlias(s *source, name string) *Diagnostic {
	for i, line := range s.lines {
		at := strings.Index(line, "*"+name)
		if at < 0 || strings.Contains(line[:at], "#") {
			continue
		}
		pos := Position{i + 1, 1 + utf8.RuneCountInString(line[:at])}
		return aliasFinding(s, pos, Position{pos.Line, pos.Column + 1 + utf8.RuneCountInString(name)})
	}
	return nil
}

// scanner walks over the lines of a broken file.
type scanner struct {
	src    *source
	line   int     // index of the line to read next
	levels []level // open blocks, outermost first
	found  *Diagnostic
}

// level is an open block of keys or of list items.
type level struct {
	column int // of its keys or dashes, from 0
	list   bool
	line   int  // index of the line that opened it
	open   bool // the last key or dash still waits for its value
}

// scanLine reads one line of block style, and the lines that its value takes up.
func (c *scanner) scanLine() {
	text := c.src.lines[c.line]
	body := strings.TrimLeft(text, " ")
	at := len(text) - len(body)
	switch {
	case strings.TrimSpace(body) == "" || body[0] == '#' || body[0] == '%' || isMarker(text):
		c.line++
		return
	case body[0] == '\t':
		c.fail(codeTab, at, 1, "a tab indents this line", "indent with spaces")
		return
	}
	if !c.enter(text, at) {
		return
	}
	c.scanEntry(text, at)
}

// isMarker reports whether the line begins or ends a document.
func isMarker(text string) bool {
	return strings.HasPrefix(text, "---") || strings.HasPrefix(text, "...")
}

// enter closes the blocks that a line at column at ends, and checks that it belongs to one.
func (c *scanner) enter(text string, at int) bool {
	closed := false
	for len(c.levels) > 0 && c.top().column > at {
		c.levels = c.levels[:len(c.levels)-1]
		closed = true
	}
	dash := isDash(text[at:])
	if n := len(c.levels); n > 1 && c.top().list && !dash && c.top().column == at && c.levels[n-2].column == at {
		c.levels = c.levels[:n-1] // a list may stand as far left as the key it belongs to
	}
	if len(c.levels) == 0 {
		if closed {
			c.fail(codeSyntax, at, 0, "this line is indented less than the block it stands in", "")
		}
		return c.found == nil
	}
	top := c.top()
	switch {
	case top.column == at || top.open:
		return true
	case keyWidth(text[at:]) < 0 && !dash && !closed:
		return true // the value above goes on
	}
	c.fail(codeSyntax, at, 0,
		fmt.Sprintf("this line is indented by %d, and the block it stands in by %d", at, top.column),
		fmt.Sprintf("indent it like line %d", top.line+1))
	return false
}

// scanEntry reads dashes, a key, and the value after them.
func (c *scanner) scanEntry(text string, at int) {
	for isDash(text[at:]) {
		if c.push(at, true); c.found != nil {
			return
		}
		rest := strings.TrimLeft(text[at+1:], " ")
		if rest == "" || rest[0] == '#' {
			c.line++
			return
		}
		c.top().open = false
		at = len(text) - len(rest)
	}
	width := keyWidth(text[at:])
	if width < 0 {
		c.scanKeyless(text, at)
		return
	}
	c.push(at, false)
	rest := strings.TrimLeft(text[at+width+1:], " \t")
	if rest == "" || rest[0] == '#' {
		c.line++
		return
	}
	c.top().open = false
	c.scanValue(text, len(text)-len(rest), at)
}

// scanKeyless reads a line without a key: a list item, or text that should have been a key.
func (c *scanner) scanKeyless(text string, at int) {
	if len(c.levels) > 0 && !c.top().list && c.top().column == at {
		help := "write key: value"
		if name, value, ok := strings.Cut(text[at:], ":"); ok && isWord(name) {
			help = fmt.Sprintf("put a space after the colon: %s: %s", name, value)
		} else if strings.HasPrefix(text[at:], "-") {
			help = "put a space after the dash"
		}
		c.fail(codeSyntax, at, 0, "this line has no key", help)
		return
	}
	c.scanValue(text, at, at-1)
}

// push opens a block at the column, or goes on in the one there.
func (c *scanner) push(column int, list bool) {
	if n := len(c.levels); n > 0 && c.top().column == column && c.top().list == list {
		c.top().open = true
		return
	}
	if len(c.levels) > 0 {
		c.top().open = false
	}
	c.levels = append(c.levels, level{column: column, list: list, line: c.line, open: true})
	if len(c.levels) > maxDepth {
		c.found = deepFinding(c.src, c.position(column))
	}
}

func (c *scanner) top() *level { return &c.levels[len(c.levels)-1] }

// position converts a byte offset of the current line.
func (c *scanner) position(at int) Position {
	return Position{c.line + 1, 1 + utf8.RuneCountInString(c.src.lines[c.line][:at])}
}

// fail records the finding at a byte offset of the current line; width 0 marks the rest of the line.
func (c *scanner) fail(code Code, at, width int, message, help string) {
	pos := c.position(at)
	end := Position{pos.Line, pos.Column + width}
	if width == 0 {
		end = endOfLine(pos, c.src.lines[c.line])
	}
	c.found = c.src.finding(code, pos, end, message)
	c.found.Help = help
}

// endOfLine is the place after the last visible character.
func endOfLine(pos Position, text string) Position {
	return Position{pos.Line, max(pos.Column, utf8.RuneCountInString(strings.TrimRight(text, " \t"))) + 1}
}
