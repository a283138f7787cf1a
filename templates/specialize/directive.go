package specialize

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
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
	h := handing{loader: l, src: s, left: map[*ast.Comment]*directive{}}
	if err := h.find(); err != nil || len(h.left) == 0 {
		return err
	}
	var err error
	ast.Inspect(s.tree, func(n ast.Node) bool {
		if err == nil {
			err = h.visit(n)
		}
		_, body := n.(*ast.BlockStmt)
		return err == nil && !body
	})
	if err != nil {
		return err
	}
	for _, g := range s.tree.Comments {
		for _, c := range g.List {
			if d := h.left[c]; d != nil {
				return l.errorf(d.pos, "%s%s is not in the comment of a declaration or a field", directivePrefix, d.verb)
			}
		}
	}
	return nil
}

// handing is the work of handing out the directives of a file.
type handing struct {
	*loader
	src  *source
	left map[*ast.Comment]*directive // that nothing has taken yet
}

// find parses the directives and notes their lines, which go.
func (h *handing) find() error {
	for _, g := range h.src.tree.Comments {
		for _, c := range g.List {
			if !strings.HasPrefix(c.Text, directivePrefix) {
				continue
			}
			d, err := h.directive(c)
			if err != nil {
				return err
			}
			h.left[c] = d
			h.src.lines = append(h.src.lines, span{h.src.offset(c.Pos()), h.src.offset(c.End())})
		}
	}
	return nil
}

// visit hands directives to a node that may have some.
func (h *handing) visit(n ast.Node) error {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return h.take(n, n.Doc, directiveIf)
	case *ast.Field:
		return h.take(n, n.Doc, directiveIf)
	case *ast.GenDecl:
		return h.takeGroup(n)
	}
	return nil
}

// takeGroup hands out the directives of a const, var or type declaration: to its only spec if it has no
// parentheses, else to the declaration as a whole and to each spec.
func (h *handing) takeGroup(g *ast.GenDecl) error {
	if g.Tok == token.IMPORT {
		return nil
	}
	legal := []string{directiveIf, directiveParam}
	if g.Tok == token.TYPE {
		legal = []string{directiveIf, directiveType}
	}
	if !g.Lparen.IsValid() {
		return h.take(g.Specs[0], g.Doc, legal...)
	}
	if err := h.take(g, g.Doc, directiveIf); err != nil {
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
		if err := h.take(s, doc, legal...); err != nil {
			return err
		}
	}
	return nil
}

// take gives a node the directive in its comment, which must be a legal one there.
func (h *handing) take(node ast.Node, doc *ast.CommentGroup, legal ...string) error {
	if doc == nil {
		return nil
	}
	for _, c := range doc.List {
		d := h.left[c]
		if d == nil {
			continue
		}
		delete(h.left, c)
		if !slices.Contains(legal, d.verb) {
			return h.errorf(d.pos, "%s%s does not belong here", directivePrefix, d.verb)
		}
		if h.src.marks[node] != nil {
			return h.errorf(d.pos, "second directive on one declaration")
		}
		h.src.marks[node] = d
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
