package cheader

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/poolgen/poolgen/spec"
)

// ctype is a type as C declares a member of it: name before, lengths behind.
type ctype struct {
	name    string
	lengths string // "[3][4]"; "" for no array
	align   int64
}

// structure is a struct of Go that C declares.
type structure struct {
	name    string // in C
	goName  string
	guard   string // of the declaration, which other headers may contain, too
	size    int64
	align   int64
	natural int64 // alignment that C would give it
	members []member
	taken   map[string]bool // names of members, and of their types
}

// member is a field, or the padding between fields.
type member struct {
	name   string
	goName string // "" for padding
	typ    ctype
	offset int64
	size   int64
}

// builder describes types for one header.
type builder struct {
	sizes   types.Sizes
	names   names
	unnamed string                        // names a struct without a name that is the item, or its element
	fault   func(types.Object) *spec.Note // see loaded.fault
	structs []*structure                  // in the order in which C needs them
	known   map[types.Type]*structure
	bools   bool // <stdbool.h> is needed
	complex map[types.BasicKind]bool
}

func newBuilder(sizes types.Sizes, fault func(types.Object) *spec.Note, names names) *builder {
	return &builder{sizes: sizes, fault: fault, names: names, known: map[types.Type]*structure{}, complex: map[types.BasicKind]bool{}}
}

// describe makes C of a type. path leads to it from the item, and owner is the structure that it is a field of.
func (b *builder) describe(t types.Type, path string, owner *structure) (ctype, error) {
	t = types.Unalias(t)
	if n, named := t.(*types.Named); named {
		if note := b.fault(n.Obj()); note != nil {
			return ctype{}, uncompiled(path, note)
		}
	}
	align := b.sizes.Alignof(t)
	switch u := t.Underlying().(type) {
	case *types.Basic:
		name, err := b.basic(u, path)
		return ctype{name: name, align: align}, err
	case *types.Array:
		element, err := b.describe(u.Elem(), path, owner)
		element.lengths = fmt.Sprintf("[%d]%s", u.Len(), element.lengths)
		return element, err
	case *types.Struct:
		s, err := b.structure(t, u, path, owner)
		if err != nil {
			return ctype{}, err
		}
		return ctype{name: s.name, align: align}, nil
	default:
		return ctype{}, pointer(path, kinds(u))
	}
}

// basics maps Go's predeclared types to C. Types as wide as a machine word are missing: see basic.
var basics = map[types.BasicKind]string{
	types.Bool: "bool", types.Int8: "int8_t", types.Int16: "int16_t", types.Int32: "int32_t", types.Int64: "int64_t",
	types.Uint8: "uint8_t", types.Uint16: "uint16_t", types.Uint32: "uint32_t", types.Uint64: "uint64_t", types.Uintptr: "uintptr_t",
	types.Float32: "float", types.Float64: "double", types.Complex64: "poolgen_complex64", types.Complex128: "poolgen_complex128",
}

func (b *builder) basic(t *types.Basic, path string) (string, error) {
	switch t.Kind() {
	case types.Bool:
		b.bools = true
	case types.Complex64, types.Complex128:
		b.complex[t.Kind()] = true
	case types.Int:
		return fmt.Sprintf("int%d_t", 8*b.sizes.Sizeof(t)), nil
	case types.Uint:
		return fmt.Sprintf("uint%d_t", 8*b.sizes.Sizeof(t)), nil
	case types.Invalid:
		return "", uncompiled(path, nil)
	case types.UnsafePointer:
		return "", pointer(path, "an unsafe.Pointer")
	}
	if name := basics[t.Kind()]; name != "" {
		return name, nil
	}
	return "", pointer(path, "a "+t.Name())
}

// kinds names a type that holds pointers.
func kinds(t types.Type) string {
	switch t.(type) {
	case *types.Pointer:
		return "a pointer"
	case *types.Slice:
		return "a slice"
	case *types.Map:
		return "a map"
	case *types.Chan:
		return "a channel"
	case *types.Signature:
		return "a function"
	default:
		return "an interface"
	}
}

// structure describes a struct, unless it has been described already.
func (b *builder) structure(t types.Type, u *types.Struct, path string, owner *structure) (*structure, error) {
	_, named := t.(*types.Named)
	for known, s := range b.known {
		if named && types.Identical(known, t) {
			return s, nil
		}
	}
	s := &structure{goName: goName(t, path, owner), size: b.sizes.Sizeof(t), align: b.sizes.Alignof(t), natural: 1, taken: map[string]bool{}}
	s.name, s.guard = b.nameOf(t, path, owner)
	if err := b.fields(s, u, path); err != nil {
		return nil, err
	}
	s.nameMembers()
	s.pad()
	b.known[t] = s
	b.structs = append(b.structs, s)
	return s, nil
}

// fields adds the fields. A field without a name, or of size zero, is not a member in C; the bytes of a field without a name are padding. The types
// of such fields are checked nevertheless.
func (b *builder) fields(s *structure, u *types.Struct, path string) error {
	fields := make([]*types.Var, u.NumFields())
	for i := range fields {
		fields[i] = u.Field(i)
		if note := b.fault(fields[i]); note != nil { // the struct may be from another declaration: type A B, or an alias
			return uncompiled(path, note)
		}
	}
	for i, offset := range b.sizes.Offsetsof(fields) {
		f := fields[i]
		path, size := strings.TrimPrefix(path+"."+f.Name(), "."), b.sizes.Sizeof(f.Type())
		if size == 0 {
			continue
		}
		if f.Name() == "_" {
			if _, err := newBuilder(b.sizes, b.fault, names{}).describe(f.Type(), path, s); err != nil {
				return err
			}
			continue
		}
		typ, err := b.describe(f.Type(), path, s)
		if err != nil {
			return err
		}
		s.natural = max(s.natural, typ.align)
		s.members = append(s.members, member{goName: f.Name(), typ: typ, offset: offset, size: size})
	}
	return nil
}

// pad adds members for Go's padding.
func (s *structure) pad() {
	var padded []member
	filled := int64(0)
	for _, m := range append(s.members, member{offset: s.size}) {
		if n := m.offset - filled; n > 0 {
			bytes := ctype{name: "uint8_t", lengths: fmt.Sprintf("[%d]", n), align: 1}
			padded = append(padded, member{name: s.padName(), typ: bytes, offset: filled, size: n})
		}
		if m.goName != "" {
			padded = append(padded, m)
		}
		filled = m.offset + m.size
	}
	s.members = padded
}

// goName tells a reader of the header which type a struct is.
func goName(t types.Type, path string, owner *structure) string {
	if n, ok := t.(*types.Named); ok {
		return types.TypeString(t, (*types.Package).Name) + " of " + n.Obj().Pkg().Path()
	}
	if owner == nil { // an alias of a struct without a name
		return "the item"
	}
	return "field " + path[strings.LastIndexByte(path, '.')+1:] + " of " + owner.name
}
