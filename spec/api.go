package spec

import (
	"go/token"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Call is a function of the API of pools: a method of the pool and, with the key package_functions, a function of the package that calls it. Package
// facade has its parameters and its documentation, and package vet/pools what it does with blocks.
type Call struct {
	Before, After string           // around the pool's name in the function's; together they are the method's
	Lookup        string           // word of the key lookup; "": the call does not need one
	when          func(*Pool) bool // nil: always
}

// Calls lists all calls that are also functions of the package.
var Calls = []Call{
	{"Alloc", "", "", nil}, {"TryAlloc", "", "", nil}, {"Alloc", "Context", "", nil},
	{"Free", "", "", (*Pool).Frees}, {"Alloc", "Ref", "", (*Pool).Frees}, {"With", "", "", (*Pool).Frees},
	{"Alloc", "Batch", "", (*Pool).ItemForm}, {"Free", "Batch", "", (*Pool).ItemForm}, {"Alloc", "Aligned", "", spans},
	{"Alloc", "On", "", onStream}, {"Free", "On", "", onStream}, {"Free", "Async", "", (*Pool).Streams}, {"Alloc", "RefOn", "", onStream},
	{"Alloc", "ContextOn", "", onStream}, {"With", "On", "", onStream}, {"Alloc", "AlignedOn", "", func(p *Pool) bool { return onStream(p) && spans(p) }},
	{"Alloc", "BatchOn", "", streamItems}, {"Free", "BatchOn", "", streamItems},
	{"Track", "", "", numbers}, {"Untrack", "", "", numbers},
	{"Copy", "ToDevice", "", onDevice}, {"Copy", "ToHost", "", onDevice}, {"Copy", "Peer", "", onDevice}, {"Zero", "", "", onDevice},
	{"View", "", "", (*Pool).Views}, {"Free", "View", "", (*Pool).FreesViews},
	{"Find", "", LookupAddress, nil}, {"Index", "", LookupIndex, nil}, {"", "AtIndex", LookupIndex, nil},
	{"Alloc", "Handle", LookupHandle, nil}, {"Get", "", LookupHandle, nil}, {"Free", "Handle", LookupHandle, nil},
	{"Export", "", "", shares}, {"Share", "", "", shares},
}

// The conditions of calls and names.
func spans(p *Pool) bool       { return !p.ItemForm() }
func onStream(p *Pool) bool    { return p.AllocsOnStreams() && p.Frees() }
func streamItems(p *Pool) bool { return onStream(p) && p.ItemForm() }
func onDevice(p *Pool) bool    { return p.Allocator.Memory() == DeviceSpans }
func deviceSpans(p *Pool) bool { return onDevice(p) && spans(p) }
func numbers(p *Pool) bool     { return p.Allocator == NoAllocator }
func numberSpans(p *Pool) bool { return numbers(p) && spans(p) }
func tiles(p *Pool) bool       { return p.Allocator == TextureTile }
func shares(p *Pool) bool      { return p.Shareable }
func functions(p *Pool) bool   { return p.PackageFunctions }
func tests(p *Pool) bool       { return p.Tests }
func example(p *Pool) bool     { return p.Tests && p.HasExample() }
func blocks(p *Pool) bool {
	return p.ItemForm() && p.Item.Kind == ItemBytes && p.Allocator.Memory() != TileMemory
}

func adapts(to string) func(*Pool) bool {
	return func(p *Pool) bool { return p.Adapts(to) }
}

// otherNames lists every other name at package level of the API that a pool can have: types, functions without a method, and tests. The facade writes
// these names, those of [Calls], and no others.
var otherNames = []struct {
	before, after string           // around the pool's name
	when          func(*Pool) bool // nil: always
}{
	{"", "Pool", nil}, {"New", "Pool", nil}, {"", "Ref", (*Pool).Frees}, {"Default", "Pool", functions}, {"ConfigureDefault", "Pool", functions},
	{"", "Block", blocks}, {"", "ID", numbers}, {"", "IDs", numberSpans}, {"", "Mark", (*Pool).Marks},
	{"", "Ptr", onDevice}, {"", "Span", deviceSpans}, {"", "Tiles", tiles}, {"", "View", (*Pool).Views},
	{"", "SpanAt", func(p *Pool) bool { return deviceSpans(p) && p.Finds(LookupAddress) }}, {"", "Handle", func(p *Pool) bool { return p.Finds(LookupHandle) }},
	{"TestPoolgen", "", tests}, {"FuzzPoolgen", "", tests}, {"BenchmarkPoolgen", "", tests}, {"Example", "Pool", example},
	{"", "Cache", adapts(AdaptPool)}, {"New", "Cache", adapts(AdaptPool)}, {"", "Writer", adapts(AdaptWriter)}, {"New", "Writer", adapts(AdaptWriter)},
	{"", "Buffers", adapts(AdaptGRPC)}, {"New", "Buffers", adapts(AdaptGRPC)}, {"", "Allocator", adapts(AdaptArrow)}, {"New", "Allocator", adapts(AdaptArrow)},
	{"Import", "Pool", shares},
}

// CallOf returns the call with a method of that name.
func CallOf(method string) *Call {
	return &Calls[slices.IndexFunc(Calls, func(c Call) bool { return c.Method() == method })]
}

// Method returns the name of the method.
func (c *Call) Method() string { return c.Before + c.After }

// Of returns the name of the function for a pool of that name.
func (c *Call) Of(pool string) string { return NameOf(c.Before, pool, c.After) }

// In reports whether a pool has the method.
func (c *Call) In(p *Pool) bool {
	return (c.when == nil || c.when(p)) && (c.Lookup == "" || p.Finds(c.Lookup))
}

// NameOf returns a name of a pool's API at package level, made of what stands around the pool's name. If that is not exported, neither is the name:
// allocNode, nodePool. The names of tests begin as Go has them begin.
func NameOf(before, pool, after string) string {
	switch {
	case before == "" || token.IsExported(pool):
		return before + pool + after
	case before == "Example": // of an exported type, else of the package, with a word of the example's own
		return before + "_" + pool + after
	case !strings.HasSuffix(before, "Poolgen"):
		before = strings.ToLower(before[:1]) + before[1:]
	}
	first, size := utf8.DecodeRuneInString(pool)
	return before + string(unicode.ToUpper(first)) + pool[size:] + after
}

// apiNames lists the names at package level that a pool could have with any settings, and says which it has.
func apiNames(p *Pool) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		for _, c := range Calls {
			if !yield(c.Of(p.Name), p.PackageFunctions && c.In(p)) {
				return
			}
		}
		for _, n := range otherNames {
			if !yield(NameOf(n.before, p.Name, n.after), n.when == nil || n.when(p)) {
				return
			}
		}
	}
}

// Names lists the names at package level of a pool's API.
func Names(p *Pool) (names []string) {
	for name, has := range apiNames(p) {
		if has {
			names = append(names, name)
		}
	}
	return names
}

// HasExample reports whether an example can be named after the pool: in the name of an example, an underscore ends the name of the type, and what is
// not exported is in lower case.
func (p *Pool) HasExample() bool {
	first, _ := utf8.DecodeRuneInString(p.Name)
	return !strings.Contains(p.Name, "_") && (unicode.IsUpper(first) || unicode.IsLower(first))
}
