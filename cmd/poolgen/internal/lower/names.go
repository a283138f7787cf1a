package lower

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/poolgen/poolgen/spec"
)

// Names are the names of a pool's types and variables, whether it declares them or not. The names of functions consist of a word and the
// pool's name: see spec.NameOf.
type Names struct {
	Prefix    string // prefix of unexported names: "vertex"
	Pool      string // type of the pool: "VertexPool"
	Shell     string // type that hands out blocks: the pool's, or that of the pool of one device
	Default   string // variable with the package's pool
	One, Many string // types of blocks that Go code cannot address, in item form and for n items: "VertexPtr", "VertexSpan"; "" for *T, []T
	Block     string // array type for the item, if the pool file names none
	Ref       string // owner of a block
	Mark      string // type of marks
	Handle    string // index and generation of a block
	SpanAt    string // function that makes a Many of an address
	View      string // region that kernels allocate from
	ItemBytes string // constant with the size of an item, if a parameter of View hides its type; else ""
}

// NamesOf returns the names that a pool declares.
func NamesOf(s *spec.Pool) Names {
	n := Names{
		Prefix: prefix(s.Name), Pool: s.Name + "Pool", Shell: s.Name + "Pool", Default: defaultVar(s.Name),
		Block: s.Name + "Block", Ref: s.Name + "Ref", Mark: s.Name + "Mark", View: s.Name + "View",
		Handle: s.Name + "Handle", SpanAt: s.Name + "SpanAt",
	}
	if s.Device.Kind == spec.EachDevice {
		n.Shell = n.Prefix + "One"
	}
	if m := memories[s.Allocator.Memory()]; m.one != "" {
		n.One, n.Many = s.Name+m.one, s.Name+m.many
	}
	if s.Views() {
		if item := ItemOf(s).API; item.Qualifier == "" && takenInAPI[item.Name] {
			n.ItemBytes = n.Prefix + "ViewItemBytes"
		}
	}
	return n
}

// BlockOf returns the type of a block of a pool, as a file of its package writes it. item is the name of the item in that file.
func BlockOf(s *spec.Pool, item Type) string {
	switch n, single := NamesOf(s), s.ItemForm(); {
	case n.One != "" && single:
		return n.One
	case n.One != "":
		return n.Many
	case single:
		return "*" + item.String()
	default:
		return "[]" + item.String()
	}
}

// defaultVar is the variable with the package's pool of a name.
func defaultVar(pool string) string { return prefix(pool) + "Default" }

// budgetVar is the variable with the budget of a name.
func budgetVar(budget string) string { return prefix(budget) + "Budget" }

// prefix is how unexported names of a pool begin: its name with the leading capitals lowered, the last one
// kept when a word follows it (HTTPConn: httpConn).
func prefix(name string) string {
	r := []rune(name)
	for i := range r {
		if !unicode.IsUpper(r[i]) || i > 0 && i+1 < len(r) && unicode.IsLower(r[i+1]) {
			break
		}
		r[i] = unicode.ToLower(r[i])
	}
	return string(r)
}

// Names that an item, or its package, must not have in each kind of file, because the file uses them for something else. An item with such a name
// gets another one there.
var (
	// qualifiers and predeclared names in the values of parameters, which are not parsed
	takenInCores = set("cuda int64 max nil poolimpl poolrt reflect time uint64 unsafe " + strings.Join(slices.Collect(maps.Keys(imported)), " "))
	// parameters and imports
	takenInAPI = set("a align block blocks bytes context ctx cuda device dst err f first keep m n options p poolimpl poolrt s src v value")
	// parameters, variables and imports
	takenInTests = set("b block blocks context ctx cuda err f fmt i mark n pb pool pooltest poolrt s t testing trial unsafe value")
)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// ItemOf decides the names of a pool's item.
func ItemOf(s *spec.Pool) Item {
	var t Type
	text := s.Item.Type
	if named(s) {
		text = s.Name + "Block" // as in NamesOf
	}
	at := strings.LastIndexByte(text, ']') + 1
	t.Array, t.Name = text[:at], text[at:]
	if q := s.Item.Qualifier; q != "" {
		t.Qualifier, t.Name = q, strings.TrimPrefix(t.Name, q+".")
	}
	item := Item{Plain: t, Declared: named(s), Core: t.around(takenInCores), API: t.around(takenInAPI), Tests: t.around(takenInTests)}
	if t.Qualifier == "" && takenInTests[t.Name] {
		item.Tests.Name = prefix(s.Name) + "TestItem" // an alias
	}
	item.Size = itemSize(s, item.Core)
	return item
}

// named reports whether the pool declares an array type for its blocks, because it has no item.
func named(s *spec.Pool) bool {
	return s.Item.Kind == spec.ItemBytes && s.ItemForm() && s.Allocator.Memory() != spec.TileMemory
}

// around returns the type with another qualifier if a file uses the name of the own one.
func (t Type) around(taken map[string]bool) Type {
	if taken[t.Qualifier] {
		t.Qualifier = Aside(t.Qualifier)
	}
	return t
}

// Aside returns the name of an item's package in a file that uses the package's own name for something else.
func Aside(qualifier string) string { return "item" + qualifier }

// itemSize returns the size of the content of a block in item form, otherwise of an item. Only the Go compiler knows the sizes of int and similar
// types, and of users' types.
func itemSize(s *spec.Pool, t Type) Size {
	switch {
	case s.Item.Kind == spec.ItemNumber:
		return known(1)
	case s.Item.Kind == spec.ItemBytes && s.ItemForm():
		return known(s.BlockSize)
	case s.Item.Size >= 0 && t.Name != "int" && t.Name != "uint" && t.Name != "uintptr":
		return known(s.Item.Size)
	}
	return Size{Of: "unsafe.Sizeof(*(*" + t.String() + ")(nil))"}
}
