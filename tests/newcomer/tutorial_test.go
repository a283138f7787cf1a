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

const tutorial = "docs/tutorial.md"

// TestTutorial does what the tutorial says, from an empty directory: it writes the files, makes the changes, runs the commands, and compares all that they
// print with what the page shows.
func TestTutorial(t *testing.T) {
	n := arrive(t)
	for _, b := range document(t, tutorial) {
		first, rest, _ := strings.Cut(b.text, "\n")
		switch b.language {
		case "yaml", "go":
			name := strings.Fields(first)[1] // after the sign of a comment
			tempmod.Write(t, n.command.Dir, map[string]string{name: b.text})
		case "diff":
			n.change(strings.TrimPrefix(first, "--- "), rest)
		case "console":
			n.follow(b.text)
		default:
			t.Fatalf("a block in the language %q", b.language)
		}
	}
}

// change replaces lines of a file by those that a diff has in their place.
func (n *newcomer) change(name, diff string) {
	n.t.Helper()
	file := filepath.Join(n.command.Dir, name)
	text, err := os.ReadFile(file)
	fatal.If(n.t, err)
	var before, after string
	for line := range strings.Lines(diff) {
		if line[0] != '+' {
			before += line[1:]
		}
		if line[0] != '-' {
			after += line[1:]
		}
	}
	if strings.Count(string(text), before) != 1 {
		n.t.Fatalf("%s does not have these lines once:\n%s", name, before)
	}
	tempmod.Write(n.t, n.command.Dir, map[string]string{name: strings.Replace(string(text), before, after, 1)})
}

// fails matches what is shown of a command that does not end with 0: a program that failed, or a finding.
var fails = regexp.MustCompile(`(?m)^exit status 1$|: PG\d+: `)

// follow runs the commands of a block, each of which stands after a dollar, before what it prints.
func (n *newcomer) follow(text string) {
	n.t.Helper()
	for _, step := range strings.Split("\n"+text, "\n$ ")[1:] {
		line, shown, _ := strings.Cut(step, "\n")
		words := strings.Fields(here(n.t, line))
		out, diag, err := n.command.Run(words[0], words[1:]...)
		printed := progress.ReplaceAllString(out+diag, "")
		if wrong := err != nil; wrong != fails.MatchString(shown) || !shows(shown, printed) {
			n.t.Fatalf("%s: %v\n%s\n%s shows\n%s", line, err, printed, tutorial, shown)
		}
	}
}

// progress is what the go command says of its own work.
var progress = regexp.MustCompile(`(?m)^(go: |\t).*\n`)

// shows reports whether a page shows what was printed, if lines are broken in other places, too. A line of three dots stands for what it leaves out.
func shows(shown, printed string) bool {
	parts := strings.Split("\n"+shown, "\n...\n")
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(folded(part))
	}
	return regexp.MustCompile(`^` + strings.Join(parts, `( .*)?`) + `$`).MatchString(folded(printed))
}

// folded returns the words of a text, each after a space, in which what differs from run to run is replaced.
func folded(text string) string {
	for _, d := range daily {
		text = d.what.ReplaceAllString(text, d.instead)
	}
	var words string
	for word := range strings.FieldsSeq(text) {
		words += " " + word
	}
	return words
}

// daily matches what differs from run to run: addresses, times and the date; of a search, which pools are on its front, but for those that are marked, and
// all that follows a ratio; and the times of a replay.
var daily = []struct {
	what    *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`\b0x[0-9a-f]+`), "ADDRESS"},
	{regexp.MustCompile(`\b[\d.]+[nµm]?s\b`), "TIME"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`), "DATE"},
	{regexp.MustCompile(`(?m)^ +\d\.\d{3} .*\n`), ""},
	{regexp.MustCompile(`(?m)^( *(?:\*|default) +\d\.\d{3}) .*`), "$1"},
	{regexp.MustCompile(`(?m)^(  Picture .* \d\.\d{3} ) .*( \d+)$`), "$1$2"},
}

func TestShows(t *testing.T) {
	for _, test := range []struct {
		shown, printed string
		want           bool
	}{
		{"a\n\n", "a\n", true},
		{"a\nb\n", "a b\n", true},
		{"a\n...\nd\n", "a\nb\nc\nd\n", true},
		{"a\n...\nd\n", "a\nd\n", true},
		{"a\n...\n", "a\nb\n", true},
		{"a\n...\nd\n", "a\nb\nc\n", false},
		{"a\n", "a\nb\n", false},
		{"", "a\n", false},
		{"a.c\n", "abc\n", false},
		{"at 0x1f after 3µs\n", "at 0x2e after 12.5ms\n", true},
		{"4 blocks\n", "5 blocks\n", false},
		{"default  1.469    128  heap\n", "default  1.469    7  heap\n", true},
		{"default  1.469    128  heap\n", "default  1.460    128  heap\n", false},
	} {
		if got := shows(test.shown, test.printed); got != test.want {
			t.Errorf("%q shows %q: %v", test.shown, test.printed, got)
		}
	}
}
