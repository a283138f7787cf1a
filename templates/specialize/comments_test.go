package specialize

import (
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
)

// TestCommentsSurvive specialises the real templates and wants every word of every comment of kept code in the output,
// in its order. Kept is what no edit deletes.
func TestCommentsSurvive(t *testing.T) {
	lib := Library{}
	files, _ := filepath.Glob("../*/*.go")
	for _, file := range files {
		dir, base := filepath.Base(filepath.Dir(file)), filepath.Base(file)
		if strings.HasSuffix(base, "_test.go") || dir == "specialize" {
			continue
		}
		text, err := os.ReadFile(file)
		fatal.If(t, err)
		path := "github.com/poolgen/poolgen/templates/" + dir
		if lib[path] == nil {
			lib[path] = map[string]string{}
		}
		lib[path][base] = string(text)
	}
	s := New(lib)
	for path := range lib {
		inst := &Instance{Root: path, Prefix: "vertex", Names: map[string]string{}}
		if strings.HasSuffix(path, "/bump") {
			inst.Names["bump.Mark"] = "VertexMark"
		}
		p, err := s.prepare(inst)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		r, err := p.result(inst)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		got := words(t, "package p\n"+r.Text)
		for _, u := range p.units {
			for _, src := range u.files {
				if p.hasLive(u, src) {
					got = wantWords(t, p, src, got)
				}
			}
		}
		if len(got) != 0 {
			t.Errorf("%s: more comments in the output than in the templates: %q", path, got)
		}
	}
}

// wantWords takes the words of the comments of one file off the front of got.
func wantWords(t *testing.T, p *program, s *source, got []string) []string {
	for _, g := range s.tree.Comments {
		from, to := s.offset(g.Pos()), s.offset(g.End())
		if from < s.body {
			continue
		}
		text, err := apply(s.text, from, to, p.edits[s])
		fatal.If(t, err)
		if p.isDeleted(s, from, to) {
			text = "" // with the code around it
		}
		for line := range strings.Lines(text) {
			for _, w := range strings.Fields(strings.Trim(strings.TrimSpace(line), "/*")) {
				if len(got) == 0 || got[0] != w {
					t.Fatalf("%s: word %q of comment %q is lost; the output goes on %q", s.name, w, text, got[:min(5, len(got))])
				}
				got = got[1:]
			}
		}
	}
	return got
}

func (p *program) isDeleted(s *source, from, to int) bool {
	for _, e := range p.edits[s] {
		if e.repl == "" && e.from <= from && to <= e.to {
			return true
		}
	}
	return false
}

// words lists the words of all comments of a file.
func words(t *testing.T, src string) []string {
	t.Helper()
	if _, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution); err != nil {
		t.Fatal(err)
	}
	var list []string
	var sc scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(src))
	sc.Init(file, []byte(src), nil, scanner.ScanComments)
	for {
		_, tok, lit := sc.Scan()
		if tok == token.EOF {
			return list
		}
		if tok == token.COMMENT {
			list = append(list, strings.Fields(strings.Trim(lit, "/*"))...)
		}
	}
}
