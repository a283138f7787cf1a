package docs

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/poolgen/poolgen/tests/fatal"
)

// root is the directory of the module, from here.
const root = "../../../.."

// page is one Markdown file, taken apart.
type page struct {
	path    string // from the root of the module, with slashes
	prose   string // without blocks; lines keep their numbers
	blocks  []block
	spans   []span
	links   []link
	codes   []span // of diagnostics, anywhere
	anchors map[string]bool
	open    int // line of a fence without an end; 0 if there is none
}

// block is a fenced block of code.
type block struct {
	page     *page
	line     int // of its first line of code
	language string
	text     string // with a line feed at the end
}

// span is a piece of running text, with its line: code between backquotes, or the target of a link.
type span struct {
	line int
	text string
}

// link is the target of a link, with the text that is shown for it; "" for a link of HTML.
type link struct {
	span
	shown string
}

// problem is an error at a place of a page.
type problem struct {
	page string
	line int
	text string
}

func (p problem) String() string { return fmt.Sprintf("%s:%d: %s", p.page, p.line, p.text) }

// at makes a problem of a block's line, counted from 0.
func (b *block) at(line int, format string, args ...any) problem {
	return problem{b.page.path, b.line + line, fmt.Sprintf(format, args...)}
}

// first returns the first line of a block, which identifies it in the table notJudged.
func (b *block) first() string {
	line, _, _ := strings.Cut(strings.TrimLeft(b.text, "\n"), "\n")
	return line
}

// example is the directory of the example that the page belongs to; "" for others.
func (p *page) example() string {
	if dir := path.Dir(p.path); path.Dir(dir) == "generated_examples" {
		return dir
	}
	return ""
}

// pages reads all pages of the documentation.
func pages(t testing.TB) []*page {
	t.Helper()
	var all []*page
	for _, pattern := range []string{"*.md", "docs/*.md", "templates/*.md", "generated_examples/*.md", "generated_examples/*/*.md", "tests/*.md", "tests/*/*.md", "tests/*/*/*.md", "cmd/poolgen/internal/cli/testdata/*/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		fatal.If(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			fatal.If(t, err)
			name, err := filepath.Rel(root, file)
			fatal.If(t, err)
			all = append(all, newPage(filepath.ToSlash(name), string(text)))
		}
	}
	if len(all) < 20 {
		t.Fatalf("only %d pages", len(all))
	}
	return all
}

var (
	fence     = regexp.MustCompile("^ *```+ *([a-zA-Z.]*)")
	heading   = regexp.MustCompile(`^#+ +(.*?) *#*$`)
	codeSpan  = regexp.MustCompile("(?s)`([^`]+)`")
	linkSpan  = regexp.MustCompile(`(?s)\]\(([^()\s]+)\)`)
	htmlLink  = regexp.MustCompile(`(?:src|href)="([^"]+)"`)
	linkWords = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	codeName  = regexp.MustCompile(`\b(PG\d{3})\b`)
)

// newPage takes the text of a page apart.
func newPage(name, text string) *page {
	p := &page{path: name, anchors: make(map[string]bool), codes: find(codeName, text)}
	var prose strings.Builder // lines outside of blocks; those of blocks are empty there, so that lines keep their numbers
	var open *block
	for i, line := range strings.Split(text, "\n") {
		m := fence.FindStringSubmatch(line)
		switch {
		case m != nil && open == nil:
			open = &block{page: p, line: i + 2, language: m[1]}
		case m != nil:
			p.blocks = append(p.blocks, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		default:
			if h := heading.FindStringSubmatch(line); h != nil {
				p.addHeading(h[1])
			}
			prose.WriteString(line)
		}
		prose.WriteByte('\n')
	}
	if open != nil {
		p.open = open.line - 1
	}
	p.prose = prose.String()
	p.readProse(p.prose)
	return p
}

// readProse finds the code and the links of running text. Code may hold what looks like a link.
func (p *page) readProse(text string) {
	p.spans = find(codeSpan, text)
	masked := codeSpan.ReplaceAllStringFunc(text, func(s string) string { // bytes keep their positions
		code := bytes.Repeat([]byte("x"), len(s))
		for i := range s {
			if s[i] == '\n' {
				code[i] = '\n'
			}
		}
		return string(code)
	})
	targets := find(linkSpan, masked)
	for i, m := range linkSpan.FindAllStringIndex(masked, -1) {
		begin := strings.LastIndex(masked[:m[0]], "[") + 1
		p.links = append(p.links, link{targets[i], text[begin:m[0]]})
	}
	for _, target := range find(htmlLink, masked) {
		p.links = append(p.links, link{span: target})
	}
}

// find lists the matches of the first group of an expression.
func find(e *regexp.Regexp, text string) []span {
	var out []span
	for _, m := range e.FindAllStringSubmatchIndex(text, -1) {
		out = append(out, span{1 + strings.Count(text[:m[0]], "\n"), strings.Join(strings.Fields(text[m[2]:m[3]]), " ")})
	}
	return out
}

// addHeading notes the anchor that GitHub gives a heading.
func (p *page) addHeading(text string) {
	text = linkWords.ReplaceAllString(text, "$1")
	slug := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, text)
	unique := slug
	for i := 1; p.anchors[unique]; i++ {
		unique = fmt.Sprintf("%s-%d", slug, i)
	}
	p.anchors[unique] = true
}

// judgePages judges all pages, of which a test has to see some at least: else it looks for what is not there.
func judgePages(t *testing.T, least int, what string, judge func(*page) (seen int, found []problem)) {
	t.Helper()
	all := 0
	for _, p := range pages(t) {
		seen, found := judge(p)
		all += seen
		report(t, found)
	}
	if all < least {
		t.Errorf("only %d %s", all, what)
	}
}

// report fails a test for each problem.
func report(t *testing.T, found []problem) {
	t.Helper()
	for _, f := range found {
		t.Error(f)
	}
}
