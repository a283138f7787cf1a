package specialize

import (
	"go/parser"
	"regexp"
	"slices"
	"strings"
)

// paragraph is a paragraph of a comment with a conditional sentence.
type paragraph struct {
	words   []span
	clauses []clause // in order, one at most for a sentence
}

// clause is the beginning of a sentence that states a condition: "If [feature.Locked]," or "Unless [Single],".
type clause struct {
	at       int // of its first word in the words of the paragraph, which is that of the sentence, too
	next     int // of the first word of the next sentence
	cond     *directive
	negative bool   // it begins with Unless
	fault    string // what is wrong with its form; "" if nothing is
}

// prose finds the paragraphs of a file's comments with conditions in them.
func (s *source) prose() {
	for _, g := range s.tree.Comments {
		if s.offset(g.Pos()) < s.body {
			continue // not in the output
		}
		var words []span
		end := func() {
			s.addParagraph(words, "")
			words = nil
		}
		for _, c := range g.List {
			at := s.offset(c.Pos())
			switch found := wordsOf(c.Text, at); {
			case strings.HasPrefix(c.Text, "/*"), strings.HasPrefix(c.Text, "//\t"), strings.HasPrefix(c.Text, "//  "):
				end()
				s.addParagraph(found, "a condition stands in a paragraph of // lines, not in a list, in code or between /* and */")
			case c.Text == "//", isDirective.MatchString(c.Text):
				end()
			default:
				words = append(words, found...)
			}
		}
		end()
	}
}

// isDirective matches comments that are instructions to tools.
var isDirective = regexp.MustCompile(`^//[a-z0-9]+:[a-z0-9]`)

// wordsOf finds the words of a comment that begins at an offset.
func wordsOf(text string, at int) (words []span) {
	for i := len("//"); i < len(text); {
		n := strings.IndexAny(text[i:]+" ", " \t\n")
		if n > 0 {
			words = append(words, span{at + i, at + i + n})
		}
		i += n + 1
	}
	return words
}

// addParagraph notes a paragraph if it has conditions. fault says what is wrong with any in it.
func (s *source) addParagraph(words []span, fault string) {
	par := paragraph{words: words}
	for from, to := 0, 0; from < len(words); from = to {
		to = from + s.sentence(words[from:])
		for i := from; i < to; i++ {
			c := s.clause(words[i:to])
			if c == nil {
				continue
			}
			switch c.at, c.next = i, to; {
			case fault != "":
				c.fault = fault
			case i > from:
				c.fault = "a condition begins its sentence"
			case c.fault == "" && to == i+2:
				c.fault = "nothing follows the condition"
			}
			par.clauses = append(par.clauses, *c)
		}
	}
	if len(par.clauses) > 0 {
		s.paragraphs = append(s.paragraphs, par)
	}
}

// clause returns the condition that words begin with, in a right form or not; nil if they begin with none.
func (s *source) clause(words []span) *clause {
	if len(words) < 2 {
		return nil
	}
	first, link := s.word(words[0]), s.word(words[1])
	kind := strings.ToLower(strings.TrimLeft(first, "("))
	name, rest, closed := strings.Cut(link, "]")
	if kind != "if" && kind != "unless" || !closed || name[0] != '[' {
		return nil
	}
	cond, err := parser.ParseExpr(name[1:])
	if err != nil {
		return nil
	}
	c := &clause{cond: &directive{pos: s.file.Pos(words[0].from), cond: cond}, negative: kind == "unless"}
	switch {
	case first != "If" && first != "Unless":
		c.fault = "a condition begins its sentence"
	case rest != ",":
		c.fault = "a comma follows a condition"
	}
	return c
}

func (s *source) word(w span) string { return s.text[w.from:w.to] }

// sentence returns how many of the words are the first sentence.
func (s *source) sentence(words []span) int {
	if end := slices.IndexFunc(words, s.endsSentence); end >= 0 {
		return end + 1
	}
	return len(words)
}

// endsSentence reports whether a word is the last of its sentence.
func (s *source) endsSentence(w span) bool {
	word := strings.TrimRight(s.word(w), ")]\"'`")
	return word != "e.g." && word != "i.e." && strings.TrimRight(word, ".!?") != word
}
