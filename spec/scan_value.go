package spec

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
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
// column parent, and moves past the lines of the value.
func (c *scanner) scanValue(text string, at, parent int) {
	switch ch := text[at]; ch {
	case '"', '\'':
		c.scanQuoted(at)
	case '[', '{':
		c.scanFlow(at, parent)
	case '|', '>':
		c.scanText(text, at, parent)
	case '@', '`', '%', ']', '}', ',':
		value, _, _ := strings.Cut(text[at:], " #")
		value = strings.TrimSpace(value)
		help := fmt.Sprintf("quote it: %q", value)
		if bare := strings.TrimLeft(value, string(ch)); bare != "" {
			help = fmt.Sprintf("leave the %c out, or quote it: %q", ch, value)
		}
		c.fail(codeSyntax, at, 1, fmt.Sprintf("a value cannot begin with %c", ch), help)
	default:
		c.scanPlain(text, at)
	}
}

// scanText reads a text block, which ends before the first line that is indented no further than its key.
func (c *scanner) scanText(text string, at, parent int) {
	more := strings.TrimSpace(strings.TrimLeft(text[at:], "|>+-0123456789"))
	if more != "" && more[0] != '#' {
		c.fail(codeSyntax, at, 0, fmt.Sprintf("text follows %c on its line", text[at]), "begin the text on the next line, indented further than its key")
		return
	}
	first := -1 // indentation of its first line
	for c.line++; c.line < len(c.src.lines); c.line++ {
		next := c.src.lines[c.line]
		body := strings.TrimLeft(next, " ")
		indent := len(next) - len(body)
		switch {
		case body == "":
			continue
		case body[0] == '\t' && (first < 0 || indent < first):
			c.fail(codeTab, indent, 1, "a tab indents this line", "indent with spaces")
			return
		case indent <= parent:
			return
		case first < 0:
			first = indent
		case indent < first && body[0] != '#' && !strings.ContainsAny(text[at:], "123456789"):
			c.fail(codeSyntax, indent, 0, fmt.Sprintf("this line is indented by %d, and the first of its text by %d", indent, first), fmt.Sprintf("indent it by %d, too", first))
			return
		}
	}
}

// nextKey finds a comma, or space, and another key in what should be one value.
var nextKey = regexp.MustCompile(`(, *| +)(\w+): `)

// scanPlain checks an unquoted value: a second colon would make it a key.
func (c *scanner) scanPlain(text string, at int) {
	value, _, _ := strings.Cut(text[at:], " #")
	i := strings.Index(value+" ", ": ")
	if i < 0 || strings.HasPrefix(value, "&") || strings.HasPrefix(value, "!") {
		c.line++
		return
	}
	if m := nextKey.FindStringSubmatchIndex(value); m != nil && isKeyName(value[m[4]:m[5]]) {
		c.fail(codeSyntax, at+m[4], m[5]-m[4], "another key begins on this line", "put it on a line of its own, or write the keys in braces: {name: Vertex, item: float32}")
		return
	}
	c.fail(codeSyntax, at+i, 1, "a second colon on the line", fmt.Sprintf("quote the value: %q", strings.TrimSpace(value)))
}

// scanQuoted reads a quoted value. If it is not closed on its line, the next line shows whether it
// continues: a line that looks like a key is not part of it.
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
					c.fail(codeSyntax, at, 2, text[at:at+2]+" is not an escape sequence", `use single quotes around the value, or write \\`)
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

// unclosed reports an opening bracket or quote without a closing one.
func (c *scanner) unclosed(line, at int, what string, opening byte) {
	c.line = line
	c.fail(codeUnclosed, at, 1, fmt.Sprintf("this %s is not closed", what),
		fmt.Sprintf("add the closing %c", closing(opening)))
}

// closing returns the closing sign for an opening bracket or quote.
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
	if rest == "" || rest[0] == '#' {
		c.line++
		return
	}
	after := len(text) - len(strings.TrimLeft(text[at:], " \t"))
	switch {
	case strings.Trim(rest, ",;") == "":
		c.fail(codeSyntax, after, 1, fmt.Sprintf("a %s ends this line", map[byte]string{',': "comma", ';': "semicolon"}[rest[0]]), "remove it")
	case rest[0] == ']' || rest[0] == '}':
		c.fail(codeSyntax, after, 1, "this bracket was not opened", "remove it")
	case text[at-1] == '\'' && after == at:
		c.fail(codeSyntax, at-1, 1, "the value ends at this quote, and text follows", "write '' for an apostrophe inside single quotes, or put the value into double quotes")
	default:
		c.line = first
		c.trailing(c.src.lines[first], opened)
	}
}

// trailing reports text after the end of a quoted or bracketed value: most likely an array type without quotes.
func (c *scanner) trailing(text string, at int) {
	value, _, _ := strings.Cut(text[at:], " #")
	value = strings.TrimSpace(value)
	if strings.ContainsAny(value, "'\"") {
		c.fail(codeSyntax, at, 0, "there is text after the end of this value", "quote the whole value, with the other kind of quotes where it holds some")
		return
	}
	code, message, help := codeSyntax, "YAML takes the brackets of this value for a list, and text stands beside it", fmt.Sprintf("quote the whole value: %q", value)
	if _, bad := parseItem(value); bad != nil && bad.code == codePointers {
		code, message, help = bad.code, quote(value)+" "+bad.why, bad.help
	}
	c.fail(code, at, utf8.RuneCountInString(value), message, help)
}
