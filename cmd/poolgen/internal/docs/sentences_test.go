package docs

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// longest is how many words a sentence may have: it should be understood when it is read aloud once. Code is one word.
const longest = 35

var (
	notRead  = regexp.MustCompile(`(?m)^(\||#|<img).*$`)                                    // tables, headings and pictures
	shownAs  = regexp.MustCompile(`\[([^\]]*)\]\([^\s)]*\)`)                                // a link
	sentence = regexp.MustCompile(`(?s)(\S.*?)(?:[.!?][)"*]*\s|\n\s*\n|\n\s*(?:-|\d+\.) )`) // or what ends without a stop, as items of lists do

	inCode  = strings.NewReplacer(" ", "\x00") // spaces that divide no words
	outside = strings.NewReplacer("\x00", " ")
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

// judgeSentences finds the sentences of a page that are too long.
func judgeSentences(p *page) (seen int, found []problem) {
	text := shownAs.ReplaceAllString(codeSpan.ReplaceAllStringFunc(p.prose, inCode.Replace), "$1")
	all := find(sentence, notRead.ReplaceAllString(text, "")+"\n\n")
	for _, s := range all {
		if n := spoken(s.text); n > longest {
			found = append(found, problem{p.path, s.line, fmt.Sprintf("%d words, of at most %d: %s", n, longest, outside.Replace(s.text))})
		}
	}
	return len(all), found
}

// spoken counts the words of a sentence: not dashes.
func spoken(sentence string) (n int) {
	for _, word := range strings.Fields(sentence) {
		if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			n++
		}
	}
	return n
}

// A sentence that is too long is found, at its line.
func TestLongSentencesAreFound(t *testing.T) {
	most := strings.TrimSpace(strings.Repeat("word ", longest))
	for text, want := range map[string]string{
		most + ".":                                    "",
		"So.\n\nA\nshort one. One " + most + ".":      "4: 36 words",
		"See [one\nlink](page.md),\n" + most + " - .": "1: 38 words",
		"- item\n- one " + most + "\n- item":          "2: 36 words",
		most + " `go test ./... -run x`.":             "1: 36 words",
		most + ":\n\n" + most + "\n":                  "",
		"# one " + most + "\n| one " + most + " |\n":  "",
		"```\none " + most + "\n```":                  "",
		"(" + most + ".) One `x. Y`.":                 "",
	} {
		_, found := judgeSentences(newPage("p.md", text))
		if want == "" && len(found) > 0 || want != "" && (len(found) != 1 || !strings.HasPrefix(found[0].String(), "p.md:"+want)) {
			t.Errorf("%s\nfound %v, want %q", text, found, want)
		}
	}
}
