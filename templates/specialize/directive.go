package specialize

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// Directives are comment lines of their own, part of the comment above what they apply to.
const (
	directivePrefix = "//poolgen:"
	directiveParam  = "param" // the value of this const or var is a parameter
	directiveIf     = "if"    // the declaration or field exists only if the condition holds
	directiveType   = "type"  // the right side of this alias is a parameter
)

// directive is one //poolgen: line.
type directive struct {
	pos  token.Pos
	verb string
	cond ast.Expr // of an if
}

// directives finds the //poolgen: lines of a file and hands each to the declaration, spec or field whose
// comment it stands in.
func (l *loader) directives(s *source) error {
	all := map[*ast.Comment]*directive{}
	for _, g := range s.tree.Comments {
		for i, c := range g.List {
			if !strings.HasPrefix(c.Text, directivePrefix) {
				continue
			}
			d, err := l.directive(c)
			if err != nil {
				return err
			}
			all[c] = d
			s.lines = append(s.lines, span{s.offset(c.Pos()), s.offset(c.End())})
			if i > 0 && i+1 == len(g.List) && g.List[i-1].Text == "//" {
				// The empty line above set the directive off from the comment.
				s.lines = append(s.lines, span{s.offset(g.List[i-1].Pos()), s.offset(g.List[i-1].End())})
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	take := func(node ast.Node, doc *ast.CommentGroup, legal ...string) error {
		if doc == nil {
			return nil
		}
		for _, c := range doc.List {
			d := all[c]
			if d == nil {
				continue
			}
			delete(all, c)
			if !contains(legal, d.verb) {
				return l.errorf(d.pos, "%s%s does not belong here", directivePrefix, d.verb)
			}
			if s.marks[node] != nil {
				return l.errorf(d.pos, "second directive on one declaration")
			}
			s.marks[node] = d
		}
		return nil
	}
	var err error
	ast.Inspect(s.tree, func(n ast.Node) bool {
		if err != nil {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncDecl:
			err = take(n, n.Doc, directiveIf)
		case *ast.Field:
			err = take(n, n.Doc, directiveIf)
		case *ast.GenDecl:
			err = takeGroup(n, take)
		case *ast.BlockStmt:
			return false
		}
		return true
	})
	if err != nil {
		return err
	}
	for _, g := range s.tree.Comments {
		for _, c := range g.List {
			if d := all[c]; d != nil {
				return l.errorf(d.pos, "%s%s is not in the comment of a declaration or a field", directivePrefix, d.verb)
			}
		}
	}
	return nil
}

// takeGroup hands out the directives of a const, var or type declaration: to its only spec if it has no
// parentheses, else to the declaration as a whole and to each spec.
func takeGroup(g *ast.GenDecl, take func(ast.Node, *ast.CommentGroup, ...string) error) error {
	if g.Tok == token.IMPORT {
		return nil
	}
	legal := []string{directiveIf, directiveParam}
	if g.Tok == token.TYPE {
		legal = []string{directiveIf, directiveType}
	}
	if !g.Lparen.IsValid() {
		return take(g.Specs[0], g.Doc, legal...)
	}
	if err := take(g, g.Doc, directiveIf); err != nil {
		return err
	}
	for _, s := range g.Specs {
		doc := (*ast.CommentGroup)(nil)
		switch s := s.(type) {
		case *ast.ValueSpec:
			doc = s.Doc
		case *ast.TypeSpec:
			doc = s.Doc
		}
		if err := take(s, doc, legal...); err != nil {
			return err
		}
	}
	return nil
}

// directive parses one line.
func (l *loader) directive(c *ast.Comment) (*directive, error) {
	verb, arg, _ := strings.Cut(strings.TrimPrefix(c.Text, directivePrefix), " ")
	d := &directive{pos: c.Pos(), verb: verb}
	switch arg = strings.TrimSpace(arg); verb {
	case directiveParam, directiveType:
		if arg != "" {
			return nil, l.errorf(c.Pos(), "%s%s takes no argument", directivePrefix, verb)
		}
	case directiveIf:
		cond, err := parser.ParseExpr(arg)
		if err != nil {
			return nil, l.errorf(c.Pos(), "condition %q is no Go expression", arg)
		}
		d.cond = cond
	default:
		return nil, l.errorf(c.Pos(), "unknown directive %s%s", directivePrefix, verb)
	}
	return d, nil
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
