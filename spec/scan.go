package spec

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// scanner reads the lines of a broken file.
type scanner struct {
	src    *source
	line   int     // index of the line to read next
	levels []level // open blocks, outermost first
	loose  *entry  // the last entry, if it is text without a key: it cannot have entries below it
	found  *Diagnostic
}

// entry is the start of a key, or of text that should have been one.
type entry struct{ line, at int }

// level is an open block of keys or of list items.
type level struct {
	column int // of its keys or dashes, from 0
	list   bool
	line   int  // index of the line that opened it
	open   bool // the last key or dash has no value so far
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
	case oddSpace(body) != "":
		c.fail(codeTab, at, 1, oddSpace(body)+" indents this line", "indent with ordinary spaces")
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

// enter closes the blocks that a line at column at ends, and checks that the line belongs to an open one.
func (c *scanner) enter(text string, at int) bool {
	dash, keyed := isDash(text[at:]), keyWidth(text[at:]) >= 0
	if c.loose != nil && (dash || keyed) && (len(c.levels) == 0 || c.top().column < at) {
		c.line = c.loose.line
		if line := c.src.lines[c.line]; dash && at == c.loose.at {
			c.fail(codeSyntax, at, 0, "the entries of a list begin with a dash, and this one does not", "put a dash and a space before it")
		} else {
			c.keyless(line, c.loose.at)
		}
		return false
	}
	open := c.levels
	for len(c.levels) > 0 && c.top().column > at {
		c.levels = c.levels[:len(c.levels)-1]
	}
	closed := len(c.levels) < len(open)
	if n := len(c.levels); n > 1 && c.top().list && !dash && c.top().column == at && c.levels[n-2].column == at {
		c.levels = c.levels[:n-1] // a list may begin in the column of its key
	}
	if len(c.levels) == 0 {
		if closed {
			c.misplaced(at, dash, open)
		}
		return c.found == nil
	}
	switch top := c.top(); {
	case top.column == at && (top.list == dash || top.open && dash || !keyed && !dash), top.column < at && top.open:
		return true
	case !keyed && !dash && !closed:
		return true // the value above continues
	}
	c.misplaced(at, dash, open)
	return false
}

// misplaced reports a line that belongs to none of the open blocks, and names the block that it most likely belongs to.
func (c *scanner) misplaced(at int, dash bool, open []level) {
	near := open[len(open)-1]
	for _, l := range open {
		if away, least := distanceOf(l.column, at), distanceOf(near.column, at); l.list == dash && (near.list != dash || away <= least) {
			near = l
		}
	}
	there, width := "the dash", 1
	if text := c.src.lines[near.line][near.column:]; !near.list {
		width = max(keyWidth(text), 1)
		there = text[:width]
	}
	if near.column == at { // a key among dashes, or a dash among keys
		c.fail(codeSyntax, at, 0, "this line belongs neither to the block above it nor to the list", "indent it further, or begin it with a dash")
	} else {
		c.fail(codeSyntax, at, 0, fmt.Sprintf("this line is indented by %d, and the block it stands in by %d", at, near.column),
			fmt.Sprintf("indent it by %d, like %s in line %d", near.column, there, near.line+1))
	}
	c.note(near.line, near.column, width, "the block is indented as here")
}

func distanceOf(a, b int) int { return max(a-b, b-a) }

// scanEntry reads dashes, a key, and the value after them.
func (c *scanner) scanEntry(text string, at int) {
	begins := len(c.levels) == 0 || c.top().open || isDash(text[at:])
	c.loose = nil
	at, more := c.scanDashes(text, at)
	if !more {
		return
	}
	width := keyWidth(text[at:])
	switch {
	case strings.IndexByte(",]}:", text[at]) >= 0:
		c.fail(codeSyntax, at, 1, fmt.Sprintf("nothing stands in front of this %c", text[at]), "remove it, or write what belongs before it")
		return
	case width < 0 && len(c.levels) > 0 && !c.top().list && c.top().column == at:
		c.keyless(text, at)
		return
	case width < 0:
		if begins {
			c.loose = &entry{c.line, at}
		}
		c.scanValue(text, at, at-1)
		return
	case text[at] == '-':
		c.keyless(text, at)
		return
	}
	c.push(at, false)
	rest := strings.TrimLeft(text[at+width+1:], " \t")
	if rest == "" || rest[0] == '#' {
		c.line++
		return
	}
	c.top().open = false
	if value := len(text) - len(rest); isDash(rest) {
		c.fail(codeSyntax, value, 1, "a list begins on the line of its key", "begin it on the next line, and indent the dash by "+fmt.Sprint(at+2))
	} else {
		c.scanValue(text, value, at)
	}
}

// scanDashes reads the dashes of a line at an offset. It returns the offset of the text after them; false if there is none.
func (c *scanner) scanDashes(text string, at int) (behind int, more bool) {
	for isDash(text[at:]) {
		if c.push(at, true); c.found != nil {
			return at, false
		}
		rest := strings.TrimLeft(text[at+1:], " ")
		if rest == "" || rest[0] == '#' {
			c.line++
			return at, false
		}
		c.top().open = false
		at = len(text) - len(rest)
	}
	tab := at
	if strings.HasPrefix(text[at:], "-\t") {
		tab++
	}
	if text[tab] == '\t' {
		c.fail(codeTab, tab, 1, "a tab follows the dash", "write a space")
		return at, false
	}
	return at, true
}

// push opens a block at the column, or continues the one there.
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

// note adds a second place to the finding.
func (c *scanner) note(line, at, width int, message string) {
	pos := Position{line + 1, 1 + utf8.RuneCountInString(c.src.lines[line][:at])}
	c.found.Notes = append(c.found.Notes, c.src.note(pos, Position{pos.Line, pos.Column + width}, message))
}

// endOfLine returns the place after the last visible character.
func endOfLine(pos Position, text string) Position {
	return Position{pos.Line, max(pos.Column, utf8.RuneCountInString(strings.TrimRight(text, " \t"))) + 1}
}
