package newcomer

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// block is a fenced block of a document.
type block struct {
	section  string // the heading above it
	language string // "" for commands
	text     string
}

// document returns the fenced blocks of a document.
func document(t *testing.T, name string) []block {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(tempmod.Root(t), filepath.FromSlash(name)))
	fatal.If(t, err)
	return blocks(string(text))
}

func blocks(markdown string) (list []block) {
	section, open := "", false
	for line := range strings.Lines(markdown) {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && !open:
			list = append(list, block{section: section, language: strings.TrimSpace(fence)})
			open = true
		case isFence:
			open = false
		case open:
			list[len(list)-1].text += line
		case strings.HasPrefix(line, "#"):
			section = strings.TrimSpace(strings.TrimLeft(line, "#"))
		}
	}
	return list
}

// only returns the text of the only block of a language in a section.
func only(t *testing.T, list []block, section, language string) string {
	t.Helper()
	text, n := "", 0
	for _, b := range list {
		if b.section == section && b.language == language {
			text, n = b.text, n+1
		}
	}
	if n != 1 {
		t.Fatalf("there are %d blocks %q under %q, and the test wants one", n, language, section)
	}
	return text
}

// steps returns the commands of a GitHub workflow.
func steps(workflow string) (list [][]string) {
	for line := range strings.Lines(workflow) {
		if run, ok := strings.CutPrefix(strings.TrimSpace(line), "- run: "); ok {
			list = append(list, strings.Fields(run))
		}
	}
	return list
}

// commands splits a block into command lines, and those into words.
func commands(text string) (list [][]string) {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		if words := strings.Fields(line); len(words) > 0 {
			list = append(list, words)
		}
	}
	return list
}

// replacement matches a command line in the text that uses poolgen from a checkout in DIR.
var replacement = regexp.MustCompile("`(go mod edit -replace [^`]*=DIR[^`]*)`")

// replacements returns these command lines of a document, each split into its commands, with the checkout of the test as DIR.
func replacements(t *testing.T, name string) (list [][][]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(tempmod.Root(t), filepath.FromSlash(name)))
	fatal.If(t, err)
	for _, match := range replacement.FindAllStringSubmatch(string(text), -1) {
		var joined [][]string
		for one := range strings.SplitSeq(match[1], "&&") {
			joined = append(joined, strings.Fields(here(t, one)))
		}
		list = append(list, joined)
	}
	return list
}

// here writes the directory of the checkout for DIR.
func here(t *testing.T, text string) string {
	return strings.ReplaceAll(text, "=DIR", "="+tempmod.Root(t))
}

func TestBlocks(t *testing.T) {
	list := blocks("# A\n```\ngo run . # it\n\n# nothing\n```\n## B\ntext\n```yaml\nversion: 1\n# c\n```\n")
	if len(list) != 2 || list[1] != (block{"B", "yaml", "version: 1\n# c\n"}) {
		t.Fatalf("got %q", list)
	}
	if got := commands(only(t, list, "A", "")); len(got) != 1 || strings.Join(got[0], " ") != "go run ." {
		t.Errorf("got %q", got)
	}
}
