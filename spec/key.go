package spec

import (
	"slices"
	"strings"
)

// Section names a block of a pool file that holds keys.
type Section string

const (
	FileSection       Section = "file"
	BudgetSection     Section = "budgets"
	PoolSection       Section = "pools" // also defaults
	BinsSection       Section = "bins"
	CacheSection      Section = "cache"
	DriverPoolSection Section = "driver_pool"
	ReuseSection      Section = "reuse"
	TrimSection       Section = "trim"
	GuardSection      Section = "guard"
	SleepSection      Section = "sleep"
)

// Kind is the form of the value of a key.
type Kind string

const (
	TextKind     Kind = "text"
	NameKind     Kind = "name"     // an identifier
	TypeKind     Kind = "type"     // a Go type
	SizeKind     Kind = "size"     // 64KiB
	NumberKind   Kind = "number"   // a whole number
	BoolKind     Kind = "bool"     // true, false
	DurationKind Kind = "duration" // 500ms
	ChoiceKind   Kind = "choice"   // one of Values
	ListKind     Kind = "list"     // of Values, or as Doc says
	BlockKind    Kind = "block"    // of the keys of the section with the key's name
	MixedKind    Kind = "mixed"    // several forms, as Doc says
)

// Key describes one key of the language. Its validation, schema, explanation and reference all come from this description.
type Key struct {
	Section Section
	Name    string
	Kind    Kind
	Values  []string // choices, and the words of lists
	Default string   // in words; "" if there is none
	Doc     string   // one or two sentences
	Example string   // a legal value, as YAML
	None    bool     // the word none is legal: no bound for sizes and numbers, no such block for blocks
	Min     int64    // sizes and numbers: smallest legal value
	Max     int64    // sizes and numbers: largest legal value; 0: the largest number

	// Where the key applies; nil means everywhere. A pool has to match all three.
	Allocators    []Allocator
	Suballocators []Suballocator
	Concurrency   []Concurrency

	needs []need // further conditions that no list expresses
}

// need is a condition that a pool must meet for a key to apply.
type need struct {
	doc   string           // describes a pool that does not meet it, as in "does not apply to ..."
	help  string           // what to write
	holds func(*Pool) bool // the condition itself
	reads string           // the key that decides, whose mistakes are reported already; "" for several
}

// Keys returns the keys of a section, or all keys for "", in the order of the reference.
func Keys(section Section) []Key {
	var out []Key
	for _, table := range [][]Key{fileKeys, poolKeys, nestedKeys} {
		for _, k := range table {
			if section == "" || k.Section == section {
				out = append(out, k)
			}
		}
	}
	return out
}

// keyIndex finds keys of one section by name.
type keyIndex struct {
	names []string
	keys  map[string]*Key
}

// sections has the tables of keys, indexed. It does not change.
var sections = func() map[Section]*keyIndex {
	out := make(map[Section]*keyIndex)
	for _, table := range [][]Key{fileKeys, poolKeys, nestedKeys} {
		for i := range table {
			k := &table[i]
			if out[k.Section] == nil {
				out[k.Section] = &keyIndex{keys: make(map[string]*Key)}
			}
			index := out[k.Section]
			index.names = append(index.names, k.Name)
			index.keys[k.Name] = k
		}
	}
	return out
}()

// keyNamed returns a key of a section; nil if the section has none of that name.
func keyNamed(section Section, name string) *Key { return sections[section].keys[name] }

// keyNames lists the keys of a section.
func keyNames(section Section) []string { return sections[section].names }

// misfit returns why a key does not apply to a pool, and what would make it apply; "" if it applies. bad are keys that have mistakes.
func (k *Key) misfit(p *Pool, bad map[string]bool) (why, help string) {
	var unmet need
	if i := slices.IndexFunc(k.needs, func(n need) bool { return !bad[n.reads] && !n.holds(p) }); i >= 0 {
		unmet = k.needs[i]
	}
	switch {
	case k.Allocators != nil && !slices.ContainsFunc(k.Allocators, p.May):
		return "allocator " + allocatorText(p), "use allocator: " + nearestOf(k.Allocators)
	case k.Suballocators != nil && !slices.Contains(k.Suballocators, p.Suballocator) && unmet.reads != "item": // no suballocator makes up for the item
		return "suballocator " + string(p.Suballocator), "use suballocator: " + nearestOf(k.suballocatorsFor(p))
	case k.Concurrency != nil && !slices.Contains(k.Concurrency, p.Concurrency):
		return "concurrency " + string(p.Concurrency), "use concurrency: " + nearestOf(k.Concurrency)
	}
	return unmet.doc, unmet.help
}

// suballocatorsFor lists those of a key that a pool may have as it is: without an item, one of blocks of one size lacks the size.
func (k *Key) suballocatorsFor(p *Pool) []Suballocator {
	list := slices.DeleteFunc(slices.Clone(k.Suballocators), func(s Suballocator) bool { return s.Info().OneSize && p.Item.Kind == ItemBytes })
	if len(list) == 0 {
		return k.Suballocators
	}
	return list
}

// otherwise proposes an alternative to a size that is too small. A proposal for another size follows it.
func (k *Key) otherwise() string {
	switch {
	case k.None:
		return "write none where no bound is meant, or "
	case k.Default != "":
		return "leave it out, or "
	}
	return ""
}

// Applies says in words which pools may set the key; "" for all.
func (k *Key) Applies() string {
	var parts []string
	if k.Allocators != nil {
		parts = append(parts, "allocator "+oneOf(k.Allocators))
	}
	if k.Suballocators != nil {
		parts = append(parts, "suballocator "+oneOf(k.Suballocators))
	}
	if k.Concurrency != nil {
		parts = append(parts, "concurrency "+oneOf(k.Concurrency))
	}
	for _, n := range k.needs {
		parts = append(parts, "not with "+n.doc)
	}
	return strings.Join(parts, "; ")
}

// names converts the constants of the language to text.
func names[T ~string](values ...T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

// oneOf enumerates values as a sentence does.
func oneOf[T ~string](values []T) string {
	return enumerate(names(values...), "or")
}

// nearestOf proposes values: all of a short list, the first of a long one.
func nearestOf[T ~string](values []T) string {
	if len(values) > 4 {
		values = values[:1]
	}
	return oneOf(values)
}

// enumerate joins words with commas, and the last two with a conjunction.
func enumerate(words []string, conjunction string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " " + conjunction + " " + words[last]
}
