package spec

import (
	"go/token"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Name is a name at package level of the API of pools.
type Name struct {
	Before, After string           // around the pool's name
	Lookup        string           // word of the key lookup that a pool needs to have it; "": none
	when          func(*Pool) bool // nil: always
}

// Calls lists the methods of a pool that, with the key package_functions, are also functions of the package. Package facade has their parameters and
// their documentation, and package vet/pools what they do with blocks.
var Calls = []Name{
	{"Alloc", "", "", nil}, {"TryAlloc", "", "", nil}, {"Alloc", "Context", "", nil},
	{"Free", "", "", (*Pool).Frees}, {"Alloc", "Ref", "", (*Pool).Frees}, {"With", "", "", (*Pool).Frees},
	{"Alloc", "Batch", "", (*Pool).ItemForm}, {"Free", "Batch", "", (*Pool).ItemForm}, {"Alloc", "Aligned", "", spans},
	{"Alloc", "On", "", onStream}, {"Free", "On", "", onStream}, {"Free", "Async", "", (*Pool).Streams}, {"Alloc", "RefOn", "", onStream},
	{"Alloc", "ContextOn", "", onStream}, {"With", "On", "", onStream}, {"Alloc", "AlignedOn", "", func(p *Pool) bool { return onStream(p) && spans(p) }},
	{"Alloc", "BatchOn", "", streamItems}, {"Free", "BatchOn", "", streamItems},
	{"Track", "", "", numbers}, {"Untrack", "", "", numbers},
	{"Copy", "ToDevice", "", onDevice}, {"Copy", "ToHost", "", onDevice}, {"Copy", "Peer", "", onDevice}, {"Zero", "", "", onDevice},
	{"View", "", "", (*Pool).Views}, {"Free", "View", "", (*Pool).FreesViews},
	{"Find", "", LookupAddress, nil}, {"Free", "At", LookupAddress, (*Pool).Frees}, {"Usable", "", LookupAddress, spans}, {"Resize", "", LookupAddress, resizes}, {"Index", "", LookupIndex, nil}, {"", "AtIndex", LookupIndex, nil},
	{"Alloc", "Handle", LookupHandle, nil}, {"Get", "", LookupHandle, nil}, {"Free", "Handle", LookupHandle, nil},
	{"Export", "", "", shares}, {"Share", "", "", shares},
}

// The conditions of calls and names.
func spans(p *Pool) bool       { return !p.ItemForm() }
func resizes(p *Pool) bool     { return spans(p) && p.Frees() && p.Allocator.Memory() == HostMemory }
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

// otherNames lists types, functions without a method, and tests. The facade writes these names, those of [Calls], and no others.
var otherNames = []Name{
	{"", "Pool", "", nil}, {"New", "Pool", "", nil}, {"", "Ref", "", (*Pool).Frees}, {"Default", "Pool", "", functions}, {"ConfigureDefault", "Pool", "", functions},
	{"", "Block", "", blocks}, {"", "ID", "", numbers}, {"", "IDs", "", numberSpans}, {"", "Mark", "", (*Pool).Marks}, {"", "Ptr", "", onDevice},
	{"", "Span", "", deviceSpans}, {"", "SpanAt", LookupAddress, deviceSpans}, {"", "Tiles", "", tiles}, {"", "View", "", (*Pool).Views},
	{"", "Handle", LookupHandle, nil}, {"Import", "Pool", "", shares},
	{"TestPoolgen", "", "", tests}, {"FuzzPoolgen", "", "", tests}, {"BenchmarkPoolgen", "", "", tests}, {"Example", "Pool", "", example},
	{"", "Cache", "", adapts(AdaptPool)}, {"New", "Cache", "", adapts(AdaptPool)}, {"", "Writer", "", adapts(AdaptWriter)}, {"New", "Writer", "", adapts(AdaptWriter)},
	{"", "Buffers", "", adapts(AdaptGRPC)}, {"New", "Buffers", "", adapts(AdaptGRPC)},
	{"", "Allocator", "", adapts(AdaptArrow)}, {"New", "Allocator", "", adapts(AdaptArrow)},
}

// CallOf returns the call with a method of that name.
func CallOf(method string) *Name {
	return &Calls[slices.IndexFunc(Calls, func(c Name) bool { return c.Method() == method })]
}

// Method returns the name of a call's method.
func (n *Name) Method() string { return n.Before + n.After }

// Of returns the name for a pool of that name.
func (n *Name) Of(pool string) string { return NameOf(n.Before, pool, n.After) }

// In reports whether a pool has what the name is of; for a call, the method.
func (n *Name) In(p *Pool) bool {
	return (n.when == nil || n.when(p)) && (n.Lookup == "" || p.Finds(n.Lookup))
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
		for i, n := range slices.Concat(Calls, otherNames) {
			if !yield(n.Of(p.Name), n.In(p) && (p.PackageFunctions || i >= len(Calls))) {
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
