package cheader

import (
	"fmt"
	"go/types"
	"hash/fnv"
	"strings"
)

// names are the types of a header: C name to what it stands for in Go.
type names map[string]string

// of chooses the C name of a struct, and the macro that tells whether it is declared. One without a name in Go is called by its place in its owner.
func (n names) of(t types.Type, path string, owner *structure) (name, guard string) {
	identity := types.TypeString(t, nil)
	name = identifier(types.TypeString(t, (*types.Package).Name))
	if _, named := t.(*types.Named); !named {
		name = "struct"
		if owner != nil {
			identity = owner.guard + "." + path
			name = owner.name + "_" + identifier(path[strings.LastIndexByte(path, '.')+1:])
		}
	}
	name = n.claim(name, identity)
	h := fnv.New32a()
	h.Write([]byte(identity))
	return name, fmt.Sprintf("POOLGEN_%s_%08X", name, h.Sum32())
}

// claim takes a name for a type, with a number behind it where another type of the header has it.
func (n names) claim(name, identity string) string {
	free := name
	for i := 2; n[free] != "" && n[free] != identity; i++ {
		free = fmt.Sprintf("%s_%d", name, i)
	}
	n[free] = identity
	return free
}

// identifier makes a name of C of a type's name in Go: what C has no letters for is written as their number, and the rest becomes _.
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

// nameMembers chooses the C names of the fields: their own. One that means something else in C, C++ or CUDA, and one that C writes as it does another, has _
// behind it, as many as it takes not to be that of another field.
func (s *structure) nameMembers() {
	for _, m := range s.members {
		s.taken[m.typ.name] = true
	}
	var others []*member
	for i := range s.members {
		m := &s.members[i]
		m.name = identifier(m.goName)
		if m.name != m.goName || reserved[m.name] || strings.HasPrefix(m.name, "__") || s.taken[m.name] {
			others = append(others, m)
			continue
		}
		s.taken[m.name] = true
	}
	for _, m := range others {
		for strings.HasPrefix(m.name, "__") && m.name == m.goName || reserved[m.name] || s.taken[m.name] {
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

// reserved are the names that no member can have: keywords of C and C++, types that headers use, and what compilers and the headers define.
var reserved = set(`alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class co_await co_return
	co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do double dynamic_cast else enum explicit export
	extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public
	register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct switch template this thread_local throw
	true try typedef typeid typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t while xor xor_eq
	int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t poolgen_complex64 poolgen_complex128
	NULL offsetof complex I linux unix i386`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
