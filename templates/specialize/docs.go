package specialize

import (
	"go/ast"
	"go/token"
	"strings"
)

// addDocs adds paragraphs to the doc comments of live declarations.
func (p *program) addDocs(docs map[string]string) {
	for _, u := range p.units {
		for _, d := range u.decls {
			if text := docs[u.name+"."+d.key()]; text != "" && p.live[d] {
				at := d.src.offset(d.docEnd())
				p.replace(d.src, at, at, "//\n// "+strings.ReplaceAll(text, "\n", "\n// ")+"\n")
			}
		}
	}
}

// key returns the name of a declaration in its package: "Pool", or "Pool.Alloc" for a method.
func (d *decl) key() string {
	if d.isMethod() {
		return d.recv + "." + d.names[0].Name
	}
	return d.names[0].Name
}

// docEnd returns the start of the line behind the text of a declaration's doc comment: the first line for a tool that is left in the output, or
// the declaration.
func (d *decl) docEnd() token.Pos {
	node, doc := d.node, (*ast.CommentGroup)(nil)
	if d.group != nil {
		node, doc = d.group, d.group.Doc
	}
	if f, ok := node.(*ast.FuncDecl); ok {
		doc = f.Doc
	}
	if doc != nil {
		for _, c := range doc.List {
			if isDirective.MatchString(c.Text) && !strings.HasPrefix(c.Text, directivePrefix) {
				return c.Pos()
			}
		}
	}
	if f, ok := node.(*ast.FuncDecl); ok {
		return f.Type.Pos()
	}
	return node.Pos()
}
