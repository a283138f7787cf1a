package cheader

import (
	"go/types"
	"strconv"
	"strings"

	"github.com/poolgen/poolgen/spec"
)

// item finds the type of an item.
func (l *loaded) item(item spec.Item) (types.Type, error) {
	dimensions := strings.LastIndexByte(item.Type, ']') + 1
	name := strings.TrimPrefix(item.Type[dimensions:], item.Qualifier+".")
	scope := types.Universe
	if item.Kind == spec.ItemUser {
		p := l.packages[item.Import]
		if p == nil || p.Types == nil {
			return nil, &refused{why: "is of a package that the go command does not find", help: "see what go vet says"}
		}
		scope = p.Types.Scope()
	}
	declared, ok := scope.Lookup(name).(*types.TypeName)
	if !ok {
		return nil, &refused{why: "is not declared", help: "declare it, or correct the name", note: said(l.packages[item.Import])}
	}
	if note := l.fault(declared); note != nil {
		return nil, uncompiled("", note)
	}
	t := declared.Type()
	if g, ok := t.(interface{ TypeParams() *types.TypeParamList }); ok && g.TypeParams().Len() > 0 {
		return nil, &refused{why: "is generic", help: "name one that has its type arguments, as " + name + "Of in: type " + name + "Of = " + name + "[...]"}
	}
	lengths := strings.FieldsFunc(item.Type[:dimensions], func(r rune) bool { return r == '[' || r == ']' })
	for i := len(lengths) - 1; i >= 0; i-- {
		n, err := strconv.ParseInt(lengths[i], 10, 64)
		if err != nil {
			return nil, err
		}
		t = types.NewArray(t, n)
	}
	return t, nil
}
