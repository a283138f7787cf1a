package explore

import (
	"cmp"
	"reflect"
	"slices"
	"sort"
	"unsafe"
)

// Identify gives the variables that Setup has made identities of their own: those in the objects that roots point to, and in
// what these point to. Otherwise, the identity of a variable that Setup has not touched follows from which thread touches it
// first, so that equal states differ.
func Identify(roots ...any) {
	w := walk{seen: map[unsafe.Pointer]bool{}}
	for _, r := range roots {
		v := reflect.ValueOf(r)
		w.visit(v.UnsafePointer(), v.Type().Elem(), 1)
	}
	slices.SortFunc(w.objects, func(a, b object) int { return cmp.Compare(a.base, b.base) })
	x.objects = w.objects
}

// object is a variable of any type, in memory.
type object struct {
	base, size uintptr
	id         uint64
}

// known returns the identity of what lies at an address, if it is in an object that Setup has made.
func known(at unsafe.Pointer) (id uint64, ok bool) {
	a := uintptr(at)
	i := sort.Search(len(x.objects), func(i int) bool { return x.objects[i].base > a }) - 1
	if i < 0 || a-x.objects[i].base >= x.objects[i].size {
		return 0, false
	}
	return mix(x.objects[i].id, uint64(a-x.objects[i].base)), true
}

// walk collects objects.
type walk struct {
	seen    map[unsafe.Pointer]bool
	objects []object
}

// visit adds n neighbours of a type, and what they point to.
func (w *walk) visit(at unsafe.Pointer, typ reflect.Type, n int) {
	if at == nil || n == 0 || typ.Size() == 0 || w.seen[at] {
		return
	}
	w.seen[at] = true
	w.objects = append(w.objects, object{uintptr(at), typ.Size() * uintptr(n), mix(3, uint64(len(w.objects)))})
	list := refsOf(typ)
	for i := range n {
		for _, r := range list {
			r.follow(w, unsafe.Add(at, uintptr(i)*typ.Size()+r.offset))
		}
	}
}

// ref is a pointer or a slice in a type.
type ref struct {
	offset uintptr
	elem   reflect.Type
	slice  bool
}

func (r ref) follow(w *walk, at unsafe.Pointer) {
	n := 1
	if r.slice {
		n = cap(*(*[]byte)(at)) // a slice of any type has its capacity there
	}
	w.visit(*(*unsafe.Pointer)(at), r.elem, n)
}

var refs = map[reflect.Type][]ref{}

// refsOf returns the pointers and slices of a type.
func refsOf(typ reflect.Type) []ref {
	list, ok := refs[typ]
	if !ok {
		list = findRefs(typ)
		refs[typ] = list
	}
	return list
}

func findRefs(typ reflect.Type) (list []ref) {
	add := func(offset uintptr, inner []ref) {
		for _, r := range inner {
			r.offset += offset
			list = append(list, r)
		}
	}
	switch typ.Kind() {
	case reflect.Pointer:
		return []ref{{0, typ.Elem(), false}}
	case reflect.Slice:
		return []ref{{0, typ.Elem(), true}}
	case reflect.Array:
		for i := range typ.Len() {
			add(uintptr(i)*typ.Elem().Size(), refsOf(typ.Elem()))
		}
	case reflect.Struct:
		for i := range typ.NumField() {
			f := typ.Field(i)
			add(f.Offset, refsOf(f.Type))
			if f.Name == "_" && f.Type.Kind() == reflect.Array && f.Type.Elem().Kind() == reflect.Pointer { // what an atomic pointer points to
				list = append(list, ref{typ.Field(i - 1).Offset, f.Type.Elem().Elem(), false})
			}
		}
	}
	return list
}
