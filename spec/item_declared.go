package spec

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// checkItemDeclared refuses a type of the output package whose declaration there holds a pointer, or that is
// not declared while a type of a similar name is: it was renamed, or misspelt. Any other may be declared after
// the pools are generated. name is the type of the item, without arrays.
func (c *poolCheck) checkItemDeclared(n *node, item Item, name string) bool {
	env := c.file.env
	if item.Kind != ItemUser || item.Qualifier != "" {
		return true
	}
	if at := env.Decls[name]; at != "" {
		_, is := env.specs[name]
		path, what := env.pointerIn(&ast.Ident{Name: name}, nil, map[string]bool{})
		bad := &itemError{codeItem, "is declared in the output directory, and not as a type", "name a type"}
		switch {
		case is && what == "":
			return true
		case is && path != "":
			bad = holdsPointers(what+" in "+path[1:], "")
		case is:
			bad = holdsPointers(what, "")
		}
		d := c.fail(bad.code, n, bad.help, "item %s %s", quote(item.Type), bad.why)
		d.Notes = append(d.Notes, Note{Message: "declared here: " + at})
		return false
	}
	meant := nearest(name, env.Types)
	if meant == "" || env.dot {
		return true
	}
	d := c.fail(codeItem, n, "did you mean "+strings.TrimSuffix(item.Type, name)+meant+"? Otherwise, declare "+name+" first",
		"item %s is not declared in the output directory, which has a type %s", quote(item.Type), meant)
	d.Notes = append(d.Notes, Note{Message: meant + " is declared here: " + env.Decls[meant]})
	return false
}

// pointerIn finds a pointer inside a type as the output package declares it, as far as that can be known without
// other packages: the fields that lead to the pointer, ".mesh.names", and what it is, "a string". params are type
// parameters, of which nothing is known. Types that were seen hold none, or are being looked at.
func (e Env) pointerIn(t ast.Expr, params *ast.FieldList, seen map[string]bool) (path, what string) {
	switch t := t.(type) {
	case *ast.Ident:
		decl, declared := e.specs[t.Name]
		switch {
		case declares(params, t.Name) || seen[t.Name]:
		case decl != nil:
			seen[t.Name] = true
			return e.pointerIn(decl.Type, decl.TypeParams, seen)
		case !declared && e.Decls[t.Name] == "" && types.Universe.Lookup(t.Name) != nil:
			return "", pointerNames[t.Name]
		}
	case *ast.ParenExpr:
		return e.pointerIn(t.X, params, seen)
	case *ast.IndexExpr: // an instance of a generic type
		return e.pointerIn(t.X, params, seen)
	case *ast.IndexListExpr:
		return e.pointerIn(t.X, params, seen)
	case *ast.SelectorExpr:
		if x, ok := t.X.(*ast.Ident); ok {
			return "", pointerNames[x.Name+"."+t.Sel.Name]
		}
	case *ast.ArrayType:
		length, known := t.Len.(*ast.BasicLit)
		switch {
		case t.Len == nil:
			return "", "a slice"
		case known && strings.Trim(length.Value, "0xXoObB_") != "": // not [0]func(), nor a length that is computed
			return e.pointerIn(t.Elt, params, seen)
		}
	case *ast.StructType:
		for _, f := range t.Fields.List {
			if path, what := e.pointerIn(f.Type, params, seen); what != "" {
				return "." + nameOf(f) + path, what
			}
		}
	case *ast.StarExpr:
		return "", "a pointer"
	case *ast.MapType:
		return "", "a map"
	case *ast.ChanType:
		return "", "a channel"
	case *ast.FuncType:
		return "", "a function"
	case *ast.InterfaceType:
		return "", "an interface"
	}
	return "", ""
}

// declares reports whether a list of fields, nil for none, names one.
func declares(list *ast.FieldList, name string) bool {
	if list == nil {
		return false
	}
	return slices.ContainsFunc(list.List, func(f *ast.Field) bool {
		return slices.ContainsFunc(f.Names, func(id *ast.Ident) bool { return id.Name == name })
	})
}

// nameOf returns the first name of a field; of an embedded one, that of its type.
func nameOf(f *ast.Field) string {
	if len(f.Names) > 0 {
		return f.Names[0].Name
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(types.ExprString(f.Type), "*"), "[")
	return name[strings.LastIndex(name, ".")+1:]
}
