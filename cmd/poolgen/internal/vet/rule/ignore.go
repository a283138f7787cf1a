package rule

import (
	"go/ast"
	"go/token"
	"reflect"
	"strings"
	"sync/atomic"

	"golang.org/x/tools/go/analysis"

	"github.com/poolgen/poolgen/spec"
)

// Prefix begins the directive //poolgen:ignore CODE reason. It silences one code on its own line, or on the next if nothing else is on its line. The reason is
// required. Malformed directives, and directives that silence nothing, are reported after all rules have run.
const Prefix = "//poolgen:ignore"

// Ignores reads the directives of a package. Its result is a [*Directives].
var Ignores = &analysis.Analyzer{
	Name:       "poolignores",
	Doc:        "read the directives //poolgen:ignore",
	Run:        readIgnores,
	ResultType: reflect.TypeFor[*Directives](),
}

// Directives are the directives of a package. They are safe for concurrent use by rules.
type Directives struct {
	all    []*directive
	byLine map[place][]*directive
}

type place struct {
	file string
	line int
}

// directive is one comment.
type directive struct {
	pos, end token.Pos
	code     spec.Code
	reason   string
	used     atomic.Bool
}

func readIgnores(pass *analysis.Pass) (any, error) {
	d := &Directives{byLine: map[place][]*directive{}}
	for _, f := range pass.Files {
		var code map[int]bool
		for _, group := range f.Comments {
			for _, c := range group.List {
				rest, ok := strings.CutPrefix(c.Text, Prefix)
				if !ok || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
					continue
				}
				if code == nil {
					code = codeLines(pass.Fset, f)
				}
				d.add(pass.Fset, c, rest, code)
			}
		}
	}
	return d, nil
}

func (d *Directives) add(fset *token.FileSet, c *ast.Comment, rest string, code map[int]bool) {
	rest, _, _ = strings.Cut(rest, "// want") // a // want comment of a test
	x := &directive{pos: c.Pos(), end: c.End()}
	if words := strings.Fields(rest); len(words) > 0 {
		x.code, x.reason = spec.Code(strings.ToUpper(words[0])), strings.Join(words[1:], " ")
	}
	at := fset.Position(c.Pos())
	line := at.Line
	if !code[line] {
		line++
	}
	d.all = append(d.all, x)
	d.byLine[place{at.Filename, line}] = append(d.byLine[place{at.Filename, line}], x)
}

// codeLines returns the lines of a file that have more than comments.
func codeLines(fset *token.FileSet, f *ast.File) map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.Comment, *ast.CommentGroup:
			return false
		case *ast.File:
			return true
		}
		lines[fset.Position(n.Pos()).Line] = true
		lines[fset.Position(n.End()-1).Line] = true
		return true
	})
	return lines
}

// Report reports a finding with its code, unless a directive silences it. The analyzer of the pass must require [Ignores].
func Report(pass *analysis.Pass, code spec.Code, found analysis.Diagnostic) {
	at := pass.Fset.Position(found.Pos)
	for _, x := range pass.ResultOf[Ignores].(*Directives).byLine[place{at.Filename, at.Line}] {
		if x.code == code && x.reason != "" {
			x.used.Store(true)
			return
		}
	}
	say(pass, code, found)
}

// say reports a finding with its code.
func say(pass *analysis.Pass, code spec.Code, found analysis.Diagnostic) {
	found.Category = string(code)
	found.Message = string(code) + ": " + found.Message
	found.URL = URL(code)
	pass.Report(found)
}

// Unused returns the analyzer that reports directives that are malformed, or silence none of the findings of the rules.
func Unused(rules []*analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     "ignore",
		Doc:      Doc(spec.CodeIgnore, spec.CodeIgnoreUnused),
		URL:      URL(spec.CodeIgnore),
		Requires: append([]*analysis.Analyzer{Ignores}, rules...),
		Run: func(pass *analysis.Pass) (any, error) {
			for _, x := range pass.ResultOf[Ignores].(*Directives).all {
				x.judge(pass)
			}
			return nil, nil
		},
	}
}

// judge reports a directive that is malformed or silences nothing.
func (x *directive) judge(pass *analysis.Pass) {
	info, known := spec.Explanation(string(x.code))
	code, message := spec.CodeIgnore, ""
	var fixes []analysis.SuggestedFix
	switch {
	case x.code == "":
		message = "poolgen:ignore names no code: write " + Prefix + " CODE reason"
	case !known || !info.Vet:
		message = "poolgen:ignore names " + string(x.code) + ", which is not a finding of poolgen vet"
	case x.reason == "":
		message = "poolgen:ignore " + string(x.code) + " gives no reason"
	case !x.used.Load():
		code, message = spec.CodeIgnoreUnused, "poolgen:ignore "+string(x.code)+" silences nothing here"
		fixes = []analysis.SuggestedFix{{Message: "remove the directive", TextEdits: []analysis.TextEdit{{Pos: x.pos, End: x.end}}}}
	default:
		return
	}
	say(pass, code, analysis.Diagnostic{Pos: x.pos, End: x.end, Message: message, SuggestedFixes: fixes})
}
