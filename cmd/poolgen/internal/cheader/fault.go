package cheader

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/poolgen/poolgen/spec"
)

// fault finds the error in the declaration of a type, given by its name or by one of its fields; nil if there is none.
func (l *loaded) fault(o types.Object) *spec.Note {
	for _, p := range l.faulty {
		switch {
		case p.Types != o.Pkg():
		case torn(p):
			return said(p)
		default:
			return errorWithin(p, declarationAt(p, o.Pos()))
		}
	}
	return nil
}

// torn reports whether a package does not parse. Any type of such a package may lack a field.
func torn(p *packages.Package) bool {
	return slices.ContainsFunc(p.Errors, func(e packages.Error) bool { return e.Kind == packages.ParseError })
}

// declarationAt finds the declaration of a type that a place in a package lies in; nil if it lies in none.
func declarationAt(p *packages.Package, at token.Pos) (found ast.Node) {
	for _, f := range p.Syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil || at < n.Pos() || n.End() <= at {
				return false
			}
			if t, ok := n.(*ast.TypeSpec); ok {
				found = t
			}
			return found == nil
		})
	}
	return found
}

// errorWithin finds the first error of a package that lies in a declaration.
func errorWithin(p *packages.Package, declaration ast.Node) *spec.Note {
	for _, e := range p.TypeErrors {
		if declaration != nil && declaration.Pos() <= e.Pos && e.Pos < declaration.End() {
			return typeError(e)
		}
	}
	return nil
}

func typeError(e types.Error) *spec.Note {
	at := e.Fset.Position(e.Pos)
	return &spec.Note{File: at.Filename, Pos: spec.Position{Line: at.Line, Column: at.Column}, Message: e.Msg}
}

// said returns why types of a package are missing; nil if none is.
func said(p *packages.Package) *spec.Note {
	if len(p.Syntax) > 0 && !torn(p) {
		return nil
	}
	for _, kind := range []packages.ErrorKind{packages.ParseError, packages.ListError} {
		for _, e := range p.Errors {
			if e.Kind == kind {
				return &spec.Note{Message: "the go command says: " + oneLine(e.Msg)}
			}
		}
	}
	return nil
}
