package layout

import (
	"bytes"
	"go/ast"
	"go/token"
	"strings"
)

// class says what the layout of a section depends on besides its tokens and line breaks.
type class int

const (
	free    class = iota // nothing
	tight                // whether function bodies on one line fit
	aligned              // the lengths of names
	odd                  // perhaps on the names themselves
)

// longest is the length up to which gofmt keeps a function on one line.
const longest = 100

// judge finds the class of a section, the worse one in case of doubt.
func judge(fset *token.FileSet, f *ast.File, s *section) class {
	j := judgment{fset: fset, section: s}
	for _, g := range f.Comments {
		j.comment(g)
	}
	switch n := len(f.Decls); {
	case n == 0 || len(f.Comments) > 0 && f.Comments[len(f.Comments)-1].Pos() > f.Decls[n-1].End():
		j.atLeast(odd) // a comment that ends the section may be taken for documentation at the end of the file
	case n > 1:
		j.atLeast(aligned)
	}
	ast.Inspect(f, j.node)
	return j.class
}

type judgment struct {
	fset    *token.FileSet
	section *section
	class   class
}

func (j *judgment) atLeast(c class) { j.class = max(j.class, c) }

func (j *judgment) line(pos token.Pos) int { return j.fset.PositionFor(pos, false).Line }

func (j *judgment) oneLine(from, to token.Pos) bool { return j.line(from) == j.line(to) }

// node looks for what gofmt aligns or fits into a line.
func (j *judgment) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CommentGroup:
		return false
	case *ast.BadDecl, *ast.BadExpr, *ast.BadStmt, *ast.ImportSpec:
		j.atLeast(odd)
	case *ast.FuncDecl:
		j.body(n.Body)
	case *ast.FuncLit:
		j.body(n.Body)
	case *ast.CompositeLit:
		j.literal(n)
	case *ast.StructType:
		j.fields(n.Fields)
	case *ast.InterfaceType:
		j.fields(n.Methods)
	case *ast.GenDecl:
		j.group(n)
	}
	return true
}

func (j *judgment) body(b *ast.BlockStmt) {
	if b != nil && j.oneLine(b.Lbrace, b.Rbrace) {
		j.atLeast(tight)
	}
}

// literal looks at keys: over several lines, values stand in a column behind them.
func (j *judgment) literal(n *ast.CompositeLit) {
	if j.oneLine(n.Lbrace, n.Rbrace) {
		return
	}
	for _, e := range n.Elts {
		if pair, keyed := e.(*ast.KeyValueExpr); keyed && j.named(pair.Key.Pos(), pair.Key.End()) {
			j.atLeast(aligned)
		}
	}
}

// fields looks at the names of fields: types stand in a column behind them. Short lists stay on one line.
func (j *judgment) fields(list *ast.FieldList) {
	if list.NumFields() == 0 {
		return
	}
	if j.oneLine(list.Opening, list.Closing) {
		j.atLeast(aligned)
	}
	for _, f := range list.List {
		if f.Tag != nil || len(f.Names) > 0 && j.named(f.Names[0].Pos(), f.Type.Pos()) {
			j.atLeast(aligned)
		}
	}
}

// group looks for declarations in parentheses on adjacent lines: those are aligned. A blank line or a comment sets them apart.
func (j *judgment) group(n *ast.GenDecl) {
	for i := range max(len(n.Specs)-1, 0) {
		if j.line(n.Specs[i+1].Pos()) <= j.line(n.Specs[i].End())+1 {
			j.atLeast(aligned)
		}
	}
}

// named reports whether there is a name between two places.
func (j *judgment) named(from, to token.Pos) bool {
	a, b := j.offset(from), j.offset(to)
	for _, name := range j.section.names {
		if name.From < b && a < name.To {
			return true
		}
	}
	return false
}

// comment looks at a comment: behind code, it is aligned with those on the lines around, as far as these have comments too; above a declaration gofmt lays it out by what it says.
func (j *judgment) comment(g *ast.CommentGroup) {
	for _, c := range g.List {
		at := j.offset(c.Pos())
		before := j.section.text[strings.LastIndexByte(j.section.text[:at], '\n')+1 : at]
		switch {
		case !strings.HasPrefix(c.Text, "//"):
			j.atLeast(odd)
		case strings.TrimSpace(before) != "" && j.named(c.Pos()-token.Pos(len(before)), c.Pos()):
			j.atLeast(aligned)
		}
	}
	if j.fset.PositionFor(g.Pos(), false).Column == 1 && !j.paragraphs(g) {
		j.atLeast(odd)
	}
}

// offset returns where pos is in the section.
func (j *judgment) offset(pos token.Pos) int {
	return j.fset.PositionFor(pos, false).Offset - len(head)
}

// paragraphs reports whether a comment is nothing but paragraphs and directives, as seen by the first byte of each line, and none
// of the paragraphs is a line that could be a heading.
func (j *judgment) paragraphs(g *ast.CommentGroup) bool {
	for i, c := range g.List {
		line := c.Text[2:]
		if line == "" {
			continue
		}
		if isDirective(line) {
			if i+1 < len(g.List) && !isDirective(g.List[i+1].Text[2:]) {
				return false // gofmt will move it
			}
			continue
		}
		if len(line) < 2 || line[0] != ' ' || !isLetter(line[1]) && line[1] != '[' && line[1] != '(' || strings.Contains(line, "]: ") {
			return false
		}
		if i > 0 && i+1 < len(g.List) && g.List[i-1].Text == "//" && g.List[i+1].Text == "//" {
			return false
		}
		at := j.offset(c.Pos()) + 3
		for k, name := range j.section.names {
			if name.From == at && j.section.kinds[k] != identifier {
				return false
			}
		}
	}
	return true
}

// isDirective reports whether a comment line, without its slashes, is one like go:noinline.
func isDirective(line string) bool { return strings.HasPrefix(line, "go:") }

// hasBody reports whether a line of code may have a function body in it.
func hasBody(line []byte) bool {
	open := bytes.IndexByte(line, '{')
	return open >= 0 && bytes.LastIndexByte(line, '}') > open && !bytes.HasPrefix(bytes.TrimLeft(line, "\t"), []byte("//"))
}

// lines counts the lines that are not blank.
func lines(text string) int {
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}
