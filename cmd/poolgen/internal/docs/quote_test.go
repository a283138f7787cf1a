package docs

import (
	"bytes"
	"context"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/cli"
	"github.com/poolgen/poolgen/tests/fatal"
)

// quoted are the directories that pages of templates quote Go code from.
var quoted = []string{"templates/*", "cmd/poolgen/internal/lower", "generated_examples/quickstart"}

// quotes reports whether the Go code of a page is a quote of the source, which is not compiled.
func (p *page) quotes() bool { return path.Dir(p.path) == "templates" }

func TestQuotes(t *testing.T) {
	judgePages(t, 10, "blocks", func(p *page) (int, []problem) {
		if !p.quotes() {
			return 0, nil
		}
		return len(p.blocks), judgeQuotes(t, p)
	})
}

// judgeQuotes looks for the Go code of a page in the source, and for the output of poolgen that the page shows in poolgen's output.
func judgeQuotes(t *testing.T, p *page) (found []problem) {
	source := sourceOf(t, quoted)
	for i := range p.blocks {
		b := &p.blocks[i]
		if b.language == "go" && !strings.Contains(source, b.text) {
			found = append(found, b.at(0, "the source has no such lines: %s", b.first()))
		}
		for _, c := range commandsOf(b) {
			if slices.Equal(c.words[:min(3, len(c.words))], []string{"go", "run", "./cmd/poolgen"}) {
				found = append(found, judgeShown(b, printed(t, c.words[3:])+source)...)
				break
			}
		}
	}
	return found
}

// sourceOf reads the Go files of dirs, without tests.
func sourceOf(t *testing.T, dirs []string) string {
	t.Helper()
	var all strings.Builder
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no source in %s, %v", dir, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			fatal.If(t, err)
			all.Write(text)
		}
	}
	return all.String()
}

// printed returns the output of poolgen in the root of the module.
func printed(t *testing.T, args []string) string {
	t.Helper()
	dir, err := filepath.Abs(root)
	fatal.If(t, err)
	var out, diag bytes.Buffer
	if exit := cli.Main(context.Background(), cli.Process{Args: args, Dir: dir, Stdout: &out, Stderr: &diag}); exit != cli.ExitDone {
		t.Errorf("poolgen %s: exit code %d\n%s", strings.Join(args, " "), exit, &diag)
	}
	return out.String()
}

var (
	notShown = regexp.MustCompile(`^(\$ .*|\.\.\.|---|)$`)
	counted  = regexp.MustCompile(`\d+ of \d+ lines`)
)

// judgeShown looks for the lines of output that a block shows, which may be the two sides of a diff. Spaces and counts of lines are not compared.
func judgeShown(b *block, text string) (found []problem) {
	lines := map[string]bool{}
	plain := func(line string) string {
		return counted.ReplaceAllString(strings.Join(strings.Fields(line), " "), "lines")
	}
	for _, line := range strings.Split(text, "\n") {
		lines[plain(line)] = true
	}
	for i, line := range strings.Split(b.text, "\n") {
		if notShown.MatchString(line) {
			continue
		}
		if side, is := strings.CutPrefix(line, "< "); is {
			line = side
		}
		if side, is := strings.CutPrefix(line, "> "); is {
			line = side
		}
		if !lines[plain(line)] {
			found = append(found, b.at(i, "poolgen does not print this line: %s", line))
		}
	}
	return found
}

// A quote that is not in the source is reported at its place, and so is a line that is not in the output.
func TestMisquotesAreFound(t *testing.T) {
	const command = "```\n$ go run ./cmd/poolgen explain generated_examples/quickstart/poolgen.yaml Vertex --templates\n"
	for _, test := range []struct {
		page string
		line int
		want string
	}{
		{"```go\n\tblockSize uint64 = 64\n```", 0, ""},
		{"```go\n\tblockSize uint64 = 63\n```", 2, "the source has no such lines"},
		{command + "...\n  Handles   false  lookup\n```", 0, ""},
		{command + "...\n  Handles   true  lookup\n```", 4, "poolgen does not print this line"},
		{command + "  fixed  core  1 of 2 lines are left\n```", 0, ""},
		{command + "  fixed  shell  1 of 2 lines are left\n```", 3, "poolgen does not print this line"},
	} {
		found := judgeQuotes(t, newPage("templates/README.md", test.page+"\n"))
		switch {
		case test.want == "":
			report(t, found)
		case len(found) != 1 || found[0].line != test.line || !strings.Contains(found[0].text, test.want):
			t.Errorf("%s\nfound %v, want line %d and %q", test.page, found, test.line, test.want)
		}
	}
}
