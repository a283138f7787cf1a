package specialize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// decideProse decides the conditions in the comments of a file. A sentence whose condition does not hold is removed, other sentences lose their
// condition, and the paragraph is filled again.
func (p *program) decideProse(u *unit, s *source) error {
	for _, par := range s.paragraphs {
		left, err := p.decideParagraph(u, s, par)
		switch {
		case err != nil:
			return err
		case len(left) == 0:
			p.delete(s, par.start(s), par.end())
		case len(left) < len(par.words):
			p.fill(s, par, left)
		}
	}
	return nil
}

// decideParagraph returns the words that are left of a paragraph.
func (p *program) decideParagraph(u *unit, s *source, par paragraph) (left []span, err error) {
	at := 0
	for _, c := range par.clauses {
		t, err := p.evaluate(u, c.cond, s.tree.Name.Pos())
		if c.fault != "" {
			if err == nil {
				return nil, p.at(c.cond.pos, "%s", c.fault)
			}
			continue // its link is to something else: an ordinary sentence
		}
		if err != nil {
			return nil, err
		}
		left = append(left, par.words[at:c.at]...)
		if at = c.next; (t == yes) != c.negative {
			at = c.at + 2
			p.capitalize(s, par.words[at])
		}
	}
	return append(left, par.words[at:]...), nil
}

// capitalize makes a word begin with a capital, unless it is a name or a link.
func (p *program) capitalize(s *source, w span) {
	word := strings.TrimRight(s.word(w), ",:;.!?")
	if strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLower(r) && r != '-' && r != '\'' }) {
		return
	}
	first, size := utf8.DecodeRuneInString(word)
	p.replace(s, w.from, w.from+size, string(unicode.ToUpper(first)))
}

// Lines of comments are filled up to so many columns; a tab is four.
const commentWidth, tabWidth = 140, 4

// fill moves the line breaks of a paragraph for the words that are left of it. The words themselves are not touched: others may edit them.
func (p *program) fill(s *source, par paragraph, left []span) {
	before := s.text[lineStart(s.text, par.start(s)):par.start(s)]
	margin := utf8.RuneCountInString(strings.ReplaceAll(before, "\t", strings.Repeat(" ", tabWidth)) + "//")
	at, column := par.words[0].from, margin
	for i, w := range left {
		gap, length := " ", 1+utf8.RuneCountInString(s.word(w))
		switch {
		case i == 0:
			gap = ""
		case column+length > commentWidth && strings.TrimSpace(before) == "":
			gap, column = "\n"+before+"// ", margin
		}
		if s.text[at:w.from] != gap {
			p.replace(s, at, w.from, gap)
		}
		at, column = w.to, column+length
	}
	if at < par.end() {
		p.delete(s, at, par.end())
	}
}

// start returns where the comment marks before the first word of a paragraph begin.
func (par paragraph) start(s *source) int { return strings.LastIndex(s.text[:par.words[0].from], "//") }

// end returns where the last word ends.
func (par paragraph) end() int { return par.words[len(par.words)-1].to }
