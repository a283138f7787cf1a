package cheader

import (
	"fmt"
	"go/types"
	"hash/fnv"
	"strings"

	"github.com/poolgen/poolgen/spec"
)

// names holds the C names of all headers of a plan, and what each stands for: C has one name space, and headers are included together.
type names map[string]string

// newNames claims the names that are derived from pools: those of views with their functions, and of items that have no name of their own.
func (l *loaded) newNames(plan *spec.Plan) names {
	n := names{}
	for i := range plan.Pools {
		p := &plan.Pools[i]
		if p.Views() {
			n.view(plan, p)
			n.alloc(plan, p)
		}
		if p.DeviceView == spec.FixedView {
			n.free(plan, p)
			n.index(plan, p)
		}
		if p.HeaderKey() != "" && p.Item.Kind != spec.ItemBytes && !l.isDeclaredStruct(p.Item) {
			n.item(plan, p)
		}
	}
	return n
}

// view names a pool's view, and alloc, free and index its functions. item names an item that is not a named struct, and element the unnamed struct that such an item
// is an array of.
func (n names) view(plan *spec.Plan, p *spec.Pool) string  { return n.ofPool(plan, p, "_view") }
func (n names) alloc(plan *spec.Plan, p *spec.Pool) string { return n.ofPool(plan, p, "_alloc") }
func (n names) free(plan *spec.Plan, p *spec.Pool) string  { return n.ofPool(plan, p, "_free") }
func (n names) index(plan *spec.Plan, p *spec.Pool) string { return n.ofPool(plan, p, "_index") }
func (n names) item(plan *spec.Plan, p *spec.Pool) string  { return n.ofPool(plan, p, "Item") }
func (n names) element(plan *spec.Plan, p *spec.Pool) string {
	return n.ofPool(plan, p, "Item_element")
}

func (n names) ofPool(plan *spec.Plan, p *spec.Pool, ending string) string {
	return n.claim(identifier(plan.Package)+"_"+identifier(p.Name)+ending, "pool "+p.Name+ending)
}

// isDeclaredStruct reports whether an item is a struct with a name.
func (l *loaded) isDeclaredStruct(item spec.Item) bool {
	t, err := l.item(item)
	if err != nil {
		return false
	}
	_, named := types.Unalias(t).(*types.Named)
	_, isStruct := t.Underlying().(*types.Struct)
	return named && isStruct
}

// nameOf chooses the C name of a struct, and the macro that tells whether it is declared. A struct without a name in Go is named after the field of
// its owner or, if it has no owner, after the pool.
func (b *builder) nameOf(t types.Type, path string, owner *structure) (name, guard string) {
	identity := types.TypeString(t, nil)
	switch _, named := t.(*types.Named); {
	case named:
		name = b.names.claim(identifier(types.TypeString(t, (*types.Package).Name)), identity)
	case owner != nil:
		field := path[strings.LastIndexByte(path, '.')+1:]
		identity = owner.guard + "." + field
		name = b.names.claim(owner.name+"_"+identifier(field), identity)
	default:
		name = b.unnamed
	}
	h := fnv.New32a()
	h.Write([]byte(identity))
	return name, fmt.Sprintf("POOLGEN_%s_%08X", name, h.Sum32())
}

// claim reserves a name for an identity, and appends a number if another identity, or C, uses the name.
func (n names) claim(name, identity string) string {
	free := name
	for i := 2; reserved[free] || n[free] != "" && n[free] != identity; i++ {
		free = fmt.Sprintf("%s_%d", name, i)
	}
	n[free] = identity
	return free
}

// identifier makes a C name of a type's name in Go: letters that C does not have are written as their code points, and anything else becomes _.
func identifier(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			b.WriteRune(r)
		case r >= 0x80:
			fmt.Fprintf(&b, "u%04X", r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_") && r != ']':
			b.WriteByte('_')
		}
	}
	return b.String()
}

// nameMembers chooses the C names of the fields: their own. A name that means something else in C, C++ or CUDA, or that becomes the same in C as
// another, gets as many trailing _ as make it unique.
func (s *structure) nameMembers() {
	for _, m := range s.members {
		s.taken[m.typ.name] = true
	}
	var others []*member
	for i := range s.members {
		m := &s.members[i]
		m.name = identifier(m.goName)
		if m.name != m.goName || kept(m.name) || s.taken[m.name] {
			others = append(others, m)
			continue
		}
		s.taken[m.name] = true
	}
	for _, m := range others {
		for kept(m.goName) && m.name == m.goName || reserved[m.name] || s.taken[m.name] {
			m.name += "_"
		}
		s.taken[m.name] = true
	}
}

// padName chooses the name of a member that is no field.
func (s *structure) padName() string {
	for i := 0; ; i++ {
		if name := fmt.Sprintf("_pad%d", i); !s.taken[name] {
			s.taken[name] = true
			return name
		}
	}
}

// kept reports whether C, C++, CUDA or the headers reserve a name.
func kept(name string) bool {
	return reserved[name] || strings.HasPrefix(name, "__") || strings.HasPrefix(name, "POOLGEN_") || len(name) > 1 && name[0] == '_' && 'A' <= name[1] && name[1] <= 'Z'
}

// reserved are names with another meaning: keywords of C and C++, types that headers use, and names that compilers, our headers and, as far as a
// field might have such a name, headers that may be included before define.
var reserved = set(`alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class co_await co_return
	co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do double dynamic_cast else enum explicit export
	extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public
	register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct switch template this thread_local throw
	true try typedef typeid typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t while xor xor_eq
	int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t size_t poolgen_complex64 poolgen_complex128 poolgen_fixed_view poolgen_fixed_counts
	NULL offsetof complex noreturn I EOF BUFSIZ HUGE_VAL INFINITY NAN errno linux unix i386`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
