package gates

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/poolgen/poolgen/tests/tempmod"
)

// oldWords has the old names of things, each with what to write instead. The gate searches text and identifiers: hostLane has a lane, and errInVain
// is in vain.
var oldWords = spread(map[string]string{
	"park, parks, parked, parking":                 "defer (a free); pending (a block)",
	"unpark, unparks, unparked, unparking":         "reuse (a pending block)",
	"lane, lanes":                                  "queue (of a stream), strip (of a processor), axis (of a clock)",
	"hot place, hot places, hot range, hot ranges": "range in flight",
	"straight":            "direct, directly",
	"stow, stows, stowed": "push (into a queue)",
	"settle, settles, settled, settling, unsettled": "what happens: wait until idle, note a free, finish, merge",
	"quieten, quietens, quietened":                  "quiesce",
	"enlist, enlists, enlisted":                     "register",
	"loan, loans, lent":                             "borrow, borrowed",
	"makeweight, makeweights":                       "surplus",
	"jot, jots, jotted":                             "store without a fence",
	"reckon, reckons, reckoned, reckoning":          "count",
	"in vain":                                       "for nothing; where waiting changes nothing: cannot help",
	"of no use":                                     "not needed, cannot be used",
	"himself, herself":                              "itself, or the noun",
	"folder, folders":                               "directory; dir in identifiers",
})

// pageWords has what pages for readers do not say either: README.md, and those of docs.
var pageWords = spread(map[string]string{
	"so many bytes": "a number, or memory",
	"for want of":   "without, or because there is no",
	"meanwhile":     "while, then, or nothing",
	"beside":        "next to, with, or in",
})

// isPage reports whether a file is a page for readers.
func isPage(name string) bool {
	return name == "README.md" || path.Dir(name) == "docs" && path.Ext(name) == ".md"
}

// exception lets the files of a pattern, in the way of path.Match, have an old word.
type exception struct{ files, word, why string }

var exceptions = []exception{
	{"cmd/poolgen/internal/cli/explain.go", "folder", "a key of the JSON that programs read"},
	{"cmd/poolgen/internal/cheader/fixed.h", "lane", "POOLGEN_ONE_LANE: a thread of a warp, in the words of CUDA"},
	{"cmd/poolgen/internal/cheader/testdata/*", "lane", "the same"},
	{"cmd/poolgen/internal/cheader/testdata/golden/*", "lane", "the same"},
	{"docs/kernels.md", "lane", "the same"},
	{"tests/gates/words_test.go", "*", "has the table"},
}

func (e exception) allows(name, word string) bool {
	match, _ := path.Match(e.files, name)
	return match && (e.word == word || e.word == "*")
}

// oldWord is a word, or several in a row, with what to write instead.
type oldWord struct {
	words   []string
	instead string
}

// spread returns the words of a table by the first of those in a row.
func spread(table map[string]string) map[string][]oldWord {
	all := map[string][]oldWord{}
	for list, instead := range table {
		for _, text := range strings.Split(list, ", ") {
			row := strings.Fields(text)
			all[row[0]] = append(all[row[0]], oldWord{row, instead})
		}
	}
	return all
}

// fault is an old word in a line of a text.
type fault struct {
	line int
	oldWord
}

func (f fault) word() string { return strings.Join(f.words, " ") }

// oldIn returns the old words of a text in their order.
func oldIn(text []byte, page bool) (faults []fault) {
	parts, lines := partsOf(text)
	for i, part := range parts {
		refused := oldWords[part]
		if page {
			refused = slices.Concat(refused, pageWords[part])
		}
		for _, old := range refused {
			if end := i + len(old.words); end <= len(parts) && slices.Equal(parts[i:end], old.words) {
				faults = append(faults, fault{lines[i], old})
			}
		}
	}
	return faults
}

// partsOf returns the words of a text, and the parts of its identifiers, in lower case, and the line of each. A letter after a backslash, as in "\n",
// does not count.
func partsOf(text []byte) (parts []string, lines []int) {
	var word []rune
	line, before := 1, ' '
	for _, r := range string(text) + " " {
		letter := unicode.IsLetter(r) && before != '\\'
		if len(word) > 0 && (!letter || unicode.IsUpper(r) && !unicode.IsUpper(before)) {
			parts, lines = append(parts, strings.ToLower(string(word))), append(lines, line)
			word = nil
		}
		if letter {
			word = append(word, r)
		}
		if r == '\n' {
			line++
		}
		before = r
	}
	return parts, lines
}

// trackedText returns the text of each hand-written file in git, except the changelog, which is about the past.
func trackedText(t *testing.T) map[string][]byte {
	t.Helper()
	root := tempmod.Root(t)
	list := exec.Command("git", "ls-files")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Skipf("git does not list the files: %v", err)
	}
	texts := map[string][]byte{}
	for name := range strings.Lines(string(out)) {
		name = strings.TrimSpace(name)
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || name == "CHANGELOG.md" || bytes.HasPrefix(text, []byte("// Code generated ")) || bytes.IndexByte(text, 0) >= 0 {
			continue // or the file was removed, but is still in git's index
		}
		texts[name] = text
	}
	return texts
}

// judgeWords returns the old words of files, and the exceptions without one.
func judgeWords(texts map[string][]byte, exceptions []exception) (faults []string) {
	used := map[string]bool{}
	for name, text := range texts {
	found:
		for _, f := range oldIn(text, isPage(name)) {
			for _, e := range exceptions {
				if e.allows(name, f.word()) {
					used[e.files+" "+e.word] = true
					continue found
				}
			}
			faults = append(faults, fmt.Sprintf("%s:%d: %q: write %s", name, f.line, f.word(), f.instead))
		}
	}
	for _, e := range exceptions {
		if !used[e.files+" "+e.word] {
			faults = append(faults, fmt.Sprintf("%s does not have the word %q (%s): delete the exception", e.files, e.word, e.why))
		}
	}
	slices.Sort(faults)
	return faults
}

// TestOneWordForAThing keeps the old words out of identifiers, comments, messages and documents.
func TestOneWordForAThing(t *testing.T) {
	for _, fault := range judgeWords(trackedText(t), exceptions) {
		t.Error(fault)
	}
}

// TestOldWordIsFound plants old words, and an unused exception.
func TestOldWordIsFound(t *testing.T) {
	for text, want := range map[string]string{
		"a lane":                         "1 lane",
		"hostLanes":                      "1 lanes",
		"x := errInVain":                 "1 in vain",
		"first\n// waits in\n// vain":    "2 in vain",
		`fmt.Print("\nfolder")`:          "1 folder",
		"spec.ScanFolder(LANE)":          "1 folder, 1 lane",
		"`folder`\n\nHimself.":           "1 folder, 3 himself",
		"explain a planet, vainly, in a": "",
		"parkour and foldering":          "",
	} {
		var got []string
		for _, f := range oldIn([]byte(text), false) {
			got = append(got, fmt.Sprint(f.line, " ", f.word()))
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
	texts := map[string][]byte{"a/x.md": []byte("folders\n"), "b/y.go": []byte("// in vain, beside\n"), "docs/z.md": []byte("So\nmany bytes lie beside.\n")}
	got := judgeWords(texts, []exception{{"b/*.go", "in vain", "planted"}, {"b/*.go", "lane", "planted"}})
	want := []string{
		`a/x.md:1: "folders": write directory; dir in identifiers`,
		`b/*.go does not have the word "lane" (planted): delete the exception`,
		`docs/z.md:1: "so many bytes": write a number, or memory`,
		`docs/z.md:2: "beside": write next to, with, or in`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("found %q\nwant %q", got, want)
	}
}
