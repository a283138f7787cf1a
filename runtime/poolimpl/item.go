package poolimpl

import (
	"reflect"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// checkItem refuses types that hold a pointer anywhere: the garbage collector does not look into the memory of pools.
func checkItem(t reflect.Type) error {
	if path := pointerIn(t, t.String()); path != "" {
		return &badItem{path}
	}
	return nil
}

// badItem matches ErrBadItem.
type badItem struct{ path string }

func (b *badItem) Error() string { return "item " + b.path + " is a pointer, or holds one" }
func (b *badItem) Unwrap() error { return poolrt.ErrBadItem }

// pointerIn returns the path of the first pointer inside a type, or "".
func pointerIn(t reflect.Type, path string) string {
	switch t.Kind() {
	case reflect.Array:
		if t.Len() == 0 {
			return ""
		}
		return pointerIn(t.Elem(), path+"[0]")
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if p := pointerIn(f.Type, path+"."+f.Name); p != "" {
				return p
			}
		}
		return ""
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return ""
	default:
		return path + " (" + t.Kind().String() + ")"
	}
}
