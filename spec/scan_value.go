package spec

import (
	"fmt"
	"strings"
)

// isDash reports whether text begins with the dash of a list item.
func isDash(text string) bool {
	return text == "-" || strings.HasPrefix(text, "- ")
}

// isWord reports whether text could be a key of the language.
func isWord(text string) bool {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return text != ""
}

// keyWidth returns the length of the key that text begins with, up to its colon; -1 if it has none.
func keyWidth(text string) int {
	if text == "" || strings.IndexByte("[{#|>@`%&*!", text[0]) >= 0 {
		return -1
	}
	from := 0
	if text[0] == '"' || text[0] == '\'' {
		if from = closingQuote(text) + 1; from == 0 {
			return -1
		}
	}
	for i := from; i < len(text); i++ {
		switch {
		case text[i] == '#' && i > 0 && text[i-1] == ' ':
			return -1
		case text[i] == ':' && (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\t'):
			return i
		}
	}
	return -1
}

// scanValue reads a value that starts at a byte offset of the current line, for the key or dash at
// column parent, and moves past the lines it takes up.
func (c *scanner) scanValue(text string, at, parent int) {
	switch ch := text[at]; ch {
	case '"', '\'':
		c.scanQuoted(at)
	case '[', '{':
		c.scanFlow(at, parent)
	case '|', '>':
		c.line++
		for c.line < len(c.src.lines) {
			next := c.src.lines[c.line]
			body := strings.TrimLeft(next, " ")
			if body != "" && len(next)-len(body) <= parent {
				break
			}
			c.line++
		}
	case '@', '`', '%', ']', '}', ',':
		c.fail(codeSyntax, at, 1, fmt.Sprintf("a value cannot begin with %c", ch), "quote the value")
	default:
		c.scanPlain(text, at)
	}
}

// scanPlain checks an unquoted value: a second colon would make it a key.
func (c *scanner) scanPlain(text string, at int) {
	value, _, _ := strings.Cut(text[at:], " #")
	if i := strings.Index(value, ": "); i >= 0 && !strings.HasPrefix(value, "&") && !strings.HasPrefix(value, "!") {
		c.fail(codeSyntax, at+i, 1, "a second colon on the line", fmt.Sprintf("quote the value: %q", strings.TrimSpace(value)))
		return
	}
	c.line++
}

// scanQuoted reads a quoted value. Where it is not closed on its line, the next line tells whether it
// goes on: a line that looks like a key was not meant to be part of it.
func (c *scanner) scanQuoted(at int) {
	first, opened := c.line, at
	quote := c.src.lines[c.line][at]
	at++
	for {
		text := c.src.lines[c.line]
		for ; at < len(text); at++ {
			switch {
			case quote == '"' && text[at] == '\\':
				if at+1 < len(text) && strings.IndexByte("0abt\tnvfre \"/\\N_LPxuU", text[at+1]) < 0 {
					c.fail(codeSyntax, at, 2, fmt.Sprintf("%q is no escape sequence", text[at:at+2]), "use single quotes around the value, or write \\\\")
					return
				}
				at++
			case quote == '\'' && text[at] == '\'' && at+1 < len(text) && text[at+1] == '\'':
				at++
			case text[at] == quote:
				c.afterValue(text, at+1, first, opened)
				return
			}
		}
		if c.line++; c.line == len(c.src.lines) || looksLikeKey(c.src.lines[c.line]) {
			c.unclosed(first, opened, "quote", quote)
			return
		}
		at = 0
	}
}

// looksLikeKey reports whether a line is most likely an entry of the language.
func looksLikeKey(text string) bool {
	text = strings.TrimLeft(text, " ")
	for isDash(text) {
		text = strings.TrimLeft(text[1:], " ")
	}
	width := keyWidth(text)
	return width > 0 && isWord(text[:width])
}

// unclosed reports an opening bracket or quote without its partner.
func (c *scanner) unclosed(line, at int, what string, opening byte) {
	c.line = line
	c.fail(codeUnclosed, at, 1, fmt.Sprintf("this %s is not closed", what),
		fmt.Sprintf("add the closing %c", closing(opening)))
}

// closing returns the partner of an opening bracket or quote.
func closing(opening byte) byte {
	switch opening {
	case '[':
		return ']'
	case '{':
		return '}'
	}
	return opening
}

// afterValue checks that nothing but a comment follows a quoted or bracketed value.
func (c *scanner) afterValue(text string, at, first, opened int) {
	rest := strings.TrimSpace(text[at:])
	if rest != "" && rest[0] != '#' {
		c.line = first
		start := c.src.lines[first]
		help := "quote the whole value"
		if start[opened] == '[' && !strings.ContainsAny(start[opened:], "'\"#") {
			help = "quote the whole value: '" + strings.TrimSpace(start[opened:]) + "'"
		}
		c.fail(codeSyntax, opened, 0, "there is text after the end of this value", help)
		return
	}
	c.line++
}

// bracket is an open bracket.
type bracket struct {
	line, at int
	kind     byte
}

// scanFlow reads a list or map in brackets, over as many lines as it takes. A line that stands no
// further right than the key the value belongs to shows that a bracket was not closed.
func (c *scanner) scanFlow(at, parent int) {
	first, opened := c.line, at
	var stack []bracket
	for {
		text := c.src.lines[c.line]
		if c.line > first && flowEnded(text, parent) {
			b := stack[len(stack)-1]
			c.unclosed(b.line, b.at, "bracket", b.kind)
			return
		}
		for ; at < len(text); at++ {
			switch ch := text[at]; {
			case ch == '#' && (at == 0 || text[at-1] == ' '):
				at = len(text)
			case (ch == '"' || ch == '\'') && startsToken(text, at):
				n := closingQuote(text[at:])
				if n < 0 {
					c.unclosed(c.line, at, "quote", ch)
					return
				}
				at += n
			case ch == '[' || ch == '{':
				stack = append(stack, bracket{c.line, at, ch})
				if len(stack) > maxDepth {
					c.found = deepFinding(c.src, c.position(at))
					return
				}
			case ch == ']' || ch == '}':
				b := stack[len(stack)-1]
				if closing(b.kind) != ch {
					c.unclosed(b.line, b.at, "bracket", b.kind)
					return
				}
				if stack = stack[:len(stack)-1]; len(stack) == 0 {
					c.afterValue(text, at+1, first, opened)
					return
				}
				if c.textAfter(text, at+1, b) {
					return
				}
			}
		}
		if c.line++; c.line == len(c.src.lines) {
			b := stack[len(stack)-1]
			c.unclosed(b.line, b.at, "bracket", b.kind)
			return
		}
		at = 0
	}
}

// textAfter reports text that follows a bracketed value inside another one, where only a comma can: most
// likely an array type without quotes.
func (c *scanner) textAfter(text string, at int, b bracket) bool {
	rest := strings.TrimLeft(text[at:], " ")
	if rest == "" || strings.IndexByte(",]}:#", rest[0]) >= 0 || b.line != c.line {
		return false
	}
	end := len(text) - len(rest) + len(rest[:strings.IndexAny(rest+",", ",]}")])
	c.fail(codeSyntax, b.at, 0, "there is text after the end of this value", "quote the whole value: '"+strings.TrimSpace(text[b.at:end])+"'")
	return true
}

// flowEnded reports whether a line cannot belong to brackets opened for a key at column parent.
func flowEnded(text string, parent int) bool {
	body := strings.TrimLeft(text, " ")
	return body != "" && body[0] != '#' && len(text)-len(body) <= parent && strings.IndexByte("]}", body[0]) < 0
}

// startsToken reports whether a quote at an offset opens a value, rather than standing inside a word.
func startsToken(text string, at int) bool {
	before := strings.TrimRight(text[:at], " ")
	return before == "" || strings.IndexByte("[{,:", before[len(before)-1]) >= 0
}
