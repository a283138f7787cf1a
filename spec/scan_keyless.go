package spec

import (
	"regexp"
	"strings"
)

// keylessForms are the most frequent mistakes by which a line is not a key and its value, with corrections.
var keylessForms = []struct {
	form    *regexp.Regexp
	message string
	meant   string // of the submatches of form
}{
	{regexp.MustCompile(`^(\w+:)([^\s:].*)$`), "there is no space after the colon", "write $1 $2"},
	{regexp.MustCompile(`^(\w+)\s*:?=\s*(.*)$`), "a key and its value are joined by a colon", "write $1: $2"},
	{regexp.MustCompile(`^-(\w.*)$`), "there is no space after the dash", "write - $1"},
	{regexp.MustCompile(`^/[/*]+\s*(.*?)(?:\s*\*/)?$`), "a comment begins with #", "write # $1"},
	{regexp.MustCompile(`^"(\w+):"\s*(.*)$`), "the colon of the key stands inside its quotes", "write $1: $2"},
	{regexp.MustCompile(`^(\w+)()$`), "there is no colon after the key", "write $1:"},
	{regexp.MustCompile(`^(\w+)\s+(.*)$`), "there is no colon after the key", "write $1: $2"},
}

// keyless reports a line without a key where one is needed.
func (c *scanner) keyless(text string, at int) {
	line, _, _ := strings.Cut(text[at:], " #")
	line = strings.TrimRight(line, " \t")
	for _, f := range keylessForms {
		m := f.form.FindStringSubmatchIndex(line)
		if m == nil {
			continue
		}
		if word := line[m[2]:m[3]]; strings.HasPrefix(f.message, "there is no colon") && !isKeyName(word) {
			break // any text
		}
		c.fail(codeSyntax, at, 0, f.message, string(f.form.ExpandString(nil, f.meant, line, m)))
		return
	}
	c.fail(codeSyntax, at, 0, "this line has no key", "write key: value, or # in front of a comment")
}

// isKeyName reports whether a word is a key anywhere in the language.
func isKeyName(word string) bool {
	for _, section := range sections {
		if section.keys[word] != nil {
			return true
		}
	}
	return false
}

// oddSpaces are characters that look like a space, but do not indent in YAML.
var oddSpaces = map[rune]string{
	'\u00a0': "a no-break space", '\u202f': "a narrow no-break space", '\u2007': "a figure space", '\u3000': "an ideographic space",
	'\u2002': "an en space", '\u2003': "an em space", '\u2009': "a thin space", '\u200b': "a zero-width space",
}

// oddIndents finds keys after such characters. YAML takes the characters for a part of the key.
func oddIndents(s *source, n *node) []*Diagnostic {
	var found []*Diagnostic
	for _, p := range n.pairs {
		if what := oddSpace(p.key.value); what != "" {
			d := s.finding(codeTab, p.key.pos, Position{p.key.pos.Line, p.key.pos.Column + 1}, what+" indents this line")
			d.Help = "indent with ordinary spaces"
			found = append(found, d)
		}
		found = append(found, oddIndents(s, p.value)...)
	}
	for _, item := range n.items {
		found = append(found, oddIndents(s, item)...)
	}
	return found
}

// oddSpace names the character that text begins with, if it is such a space; else "".
func oddSpace(text string) string {
	for _, r := range text {
		return oddSpaces[r]
	}
	return ""
}
