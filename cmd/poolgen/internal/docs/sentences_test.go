package docs

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// longest is the number of words that a sentence may have, to be understood when it is read aloud once. Code is one word.
const longest = 35

var (
	notRead  = regexp.MustCompile(`^(\||#|<img|$)`)          // tables, headings and pictures
	listItem = regexp.MustCompile(`^\s*(- |\d+\. )`)         // begins a sentence
	stop     = regexp.MustCompile(`[.!?][)"*]*[ \n]`)        // ends one
	shownAs  = regexp.MustCompile(`\[([^\]]*)\]\([^\s)]*\)`) // a link
)

// Sentences of the README and of docs can be read aloud.
func TestSentences(t *testing.T) {
	judgePages(t, 1000, "sentences", func(p *page) (int, []problem) {
		if p.path != "README.md" && path.Dir(p.path) != "docs" {
			return 0, nil
		}
		return judgeSentences(p)
	})
}

// judgeSentences finds the sentences of a page that have too many words.
func judgeSentences(p *page) (seen int, found []problem) {
	for _, s := range sentences(p) {
		if seen++; spoken(s.text) > longest {
			found = append(found, problem{p.path, s.line, fmt.Sprintf("%d words, of at most %d: %s", spoken(s.text), longest, s.text)})
		}
	}
	return seen, found
}

// spoken counts the words of a text.
func spoken(text string) (n int) {
	for _, w := range strings.Split(text, " ") {
		if strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			n++
		}
	}
	return n
}

// sentences returns the sentences of running text. Spaces within code become such that do not break.
func sentences(p *page) (all []span) {
	prose := codeSpan.ReplaceAllStringFunc(p.prose, func(s string) string { return strings.ReplaceAll(s, " ", "\u00a0") })
	text, line := "", 0 // of the paragraph so far
	for i, l := range strings.Split(shownAs.ReplaceAllString(prose, "$1")+"\n", "\n") {
		l = strings.TrimSpace(l)
		if notRead.MatchString(l) || listItem.MatchString(l) {
			for text != "" {
				end := len(text)
				if at := stop.FindStringIndex(text); at != nil {
					end = at[1]
				}
				all = append(all, span{line, strings.TrimSpace(strings.ReplaceAll(text[:end], "\n", " "))})
				line, text = line+strings.Count(text[:end], "\n"), text[end:]
			}
			line = i + 1
		}
		if !notRead.MatchString(l) {
			if text == "" {
				line = i + 1
			}
			text += l + "\n"
		}
	}
	return all
}
