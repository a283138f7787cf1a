package spec

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// bracket is an open bracket and what was read in it so far.
type bracket struct {
	line, at int
	kind     byte
	last     byte  // the last sign in it: the bracket, ',', ':', 'x' for plain text, or 'q' for a value that has ended
	value    entry // where that text or value began
	colons   int   // since the last comma
}

// scanFlow reads a list or map in brackets, over as many lines as it takes. A line that is indented
// no further than the key of the value shows that a bracket was not closed.
func (c *scanner) scanFlow(at, parent int) {
	first, opened := c.line, at
	var stack []bracket
	for {
		text := c.src.lines[c.line]
		if c.line > first && flowEnded(text, parent) {
			c.open(stack)
			return
		}
		for ; at < len(text) && c.found == nil; at++ {
			if text[at] == '#' && (at == 0 || text[at-1] == ' ') {
				break
			}
			if stack, at = c.scanFlowSign(stack, text, at); len(stack) == 0 && c.found == nil {
				c.afterValue(text, at+1, first, opened)
				return
			}
		}
		if c.found != nil {
			return
		}
		if c.line++; c.line == len(c.src.lines) {
			c.open(stack)
			return
		}
		at = 0
	}
}

// open reports that the innermost bracket is not closed.
func (c *scanner) open(stack []bracket) {
	b := stack[len(stack)-1]
	c.unclosed(b.line, b.at, "bracket", b.kind)
}

// scanFlowSign reads the sign at an offset of the current line, or the quoted value that begins there. It returns the offset of the last byte
// that it has read.
func (c *scanner) scanFlowSign(stack []bracket, text string, at int) ([]bracket, int) {
	ch, b := text[at], new(bracket)
	if len(stack) > 0 {
		b = &stack[len(stack)-1]
	}
	switch {
	case ch == ' ' || ch == '\t':
	case ch == '[' || ch == '{':
		if b.last == 'q' || b.last == 'x' {
			c.joined(b, text, at)
		}
		if stack = append(stack, bracket{line: c.line, at: at, kind: ch, last: ch}); len(stack) > maxDepth {
			c.found = deepFinding(c.src, c.position(at))
		}
	case ch == ']' || ch == '}':
		stack = c.closeBracket(stack, at, ch)
	case ch == ',' && (b.last == ',' || b.last == b.kind):
		c.fail(codeSyntax, at, 1, "nothing stands in front of this comma", "remove the comma")
	case ch == ',':
		b.last, b.colons = ',', 0
	case ch == ':' && b.last != 'x' && b.last != 'q':
		c.fail(codeSyntax, at, 1, "nothing stands in front of this colon", "remove it, or quote the value that begins with it")
	case ch == ':' && (b.last == 'q' || at+1 == len(text) || strings.IndexByte(" ,]}\t", text[at+1]) >= 0):
		if b.last, b.colons = ':', b.colons+1; b.colons > 1 {
			c.secondKey(text, at)
		}
	case b.last == 'q':
		c.joined(b, text, at)
	case (ch == '"' || ch == '\'') && b.last != 'x':
		n := closingQuote(text[at:])
		if n < 0 {
			c.unclosed(c.line, at, "quote", ch)
			return stack, at
		}
		b.last, b.value = 'q', entry{c.line, at}
		return stack, at + n
	case b.last != 'x' && cannotBegin(text[at:]):
		c.fail(codeSyntax, at, 1, fmt.Sprintf("a value inside brackets cannot begin with %c", ch), "remove it, or quote the value")
	case b.last != 'x':
		b.last, b.value = 'x', entry{c.line, at}
	}
	return stack, at
}

// closeBracket pops the innermost bracket: its content is a value of the bracket around it.
func (c *scanner) closeBracket(stack []bracket, at int, ch byte) []bracket {
	b := stack[len(stack)-1]
	if closing(b.kind) != ch {
		line := c.line
		c.open(stack)
		c.found.Help = fmt.Sprintf("close it with %c", closing(b.kind))
		c.note(line, at, 1, fmt.Sprintf("this %c does not close it", ch))
		return stack
	}
	if stack = stack[:len(stack)-1]; len(stack) > 0 {
		around := &stack[len(stack)-1]
		around.last, around.value = 'q', entry{b.line, b.at}
	}
	return stack
}

// cannotBegin reports whether text begins with a sign that no value inside brackets can begin with. Anchors, aliases and tags can.
func cannotBegin(text string) bool {
	if text[0] == '-' || text[0] == '?' {
		return len(text) == 1 || strings.IndexByte(" ,]}", text[1]) >= 0
	}
	return strings.IndexByte("@`%|>", text[0]) >= 0
}

// joined reports text after a value inside brackets, where only a comma can follow: most likely an array type without quotes, or the next entry.
func (c *scanner) joined(b *bracket, text string, at int) {
	if b.value.line != c.line || b.last == 'q' && strings.IndexByte("[{\"'", text[at]) >= 0 {
		if before := strings.TrimRight(text[:at], " "); b.value.line == c.line || before != "" {
			c.fail(codeSyntax, at, 1, "there is no comma in front of this", "put a comma before it")
			return
		}
		c.line = b.value.line
		c.fail(codeSyntax, b.value.at, 0, "there is no comma after this", "put a comma at the end of line "+fmt.Sprint(c.line+1))
		return
	}
	end := at
	for depth := 0; end < len(text) && (depth > 0 || strings.IndexByte(",]}", text[end]) < 0); end++ {
		depth += strings.Count("[{", text[end:end+1]) - strings.Count("]}", text[end:end+1])
	}
	c.trailing(strings.TrimRight(text[:end], " "), b.value.at)
}

// secondKey reports a second colon in one entry of a map in braces.
func (c *scanner) secondKey(text string, at int) {
	before := strings.TrimRight(text[:at], " ")
	from := strings.LastIndexAny(before, " ,:{[") + 1
	c.fail(codeSyntax, from, utf8.RuneCountInString(before[from:]), "there is no comma before "+quote(before[from:]), "put a comma between the keys, or quotes around the value in front if the colon belongs to it")
}

// flowEnded reports whether a line cannot belong to brackets opened for a key at column parent.
func flowEnded(text string, parent int) bool {
	body := strings.TrimLeft(text, " ")
	return body != "" && body[0] != '#' && len(text)-len(body) <= parent && strings.IndexByte("]}", body[0]) < 0
}
