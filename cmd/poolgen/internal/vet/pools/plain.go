package pools

import "go/types"

// Plain reports whether a type holds no pointers, and so can be the item of a pool. It returns false for a type parameter, and for a type that does
// not type-check.
func Plain(t types.Type) bool { return Pointer(t) == nil }

// Where is the place of a pointer inside a type.
type Where struct {
	Field *types.Var // the outermost field that leads to it; nil if the type itself is one
	Path  string     // ".mesh.names"
	Type  types.Type // what holds the pointer: a string, a slice, ...
}

// Pointer finds a pointer, or a type that contains one, inside a type; nil if there is none.
func Pointer(t types.Type) *Where { return pointer(t, 0) }

// maxDepth bounds types that contain themselves, which only code that does not type-check has.
const maxDepth = 50

func pointer(t types.Type, depth int) *Where {
	if depth > maxDepth {
		return &Where{Type: t}
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return &Where{Type: t}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&(types.IsNumeric|types.IsBoolean) != 0 && u.Info()&types.IsUntyped == 0 {
			return nil
		}
	case *types.Array:
		if u.Len() == 0 {
			return nil
		}
		return pointer(u.Elem(), depth+1)
	case *types.Struct:
		for f := range u.Fields() {
			if w := pointer(f.Type(), depth+1); w != nil {
				return &Where{f, "." + f.Name() + w.Path, w.Type}
			}
		}
		return nil
	}
	return &Where{Type: t}
}

// Message returns the message that an item of a pool, by the given name, holds a pointer.
func (w *Where) Message(item, pool string) string {
	in := ""
	if w.Path != "" {
		in = " in " + w.Path[1:]
	}
	return "the item " + item + " of pool " + pool + " holds a " + kind(w.Type) + in + ", which the garbage collector does not see"
}

// kind names what holds a pointer.
func kind(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Name()
	case *types.Slice:
		return "slice"
	case *types.Map:
		return "map"
	case *types.Chan:
		return "channel"
	case *types.Signature:
		return "function"
	case *types.Interface:
		return "value of an interface"
	}
	return "pointer"
}
