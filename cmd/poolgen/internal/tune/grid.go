package tune

import (
	"slices"

	"github.com/poolgen/poolgen/spec"
)

// coarse says how many values of each setting the grid has, in the order of [Load.values].
var coarse = []struct {
	suballocator string
	most         map[int]int
}{
	{"heap", map[int]int{Fit: 3, ChunkSize: 4, Trim: 3}},
	{"binned", map[int]int{ChunkSize: 3, Bins: 2, Trim: 3}},
	{"classes", map[int]int{ChunkSize: 2, Bins: 3, Trim: 3}},
	{"ring", map[int]int{}},
	{"none", map[int]int{}},
}

// grid lists the candidates to begin with: the default of each allocator first.
func (l Load) grid(allocators []string) (list []Candidate) {
	for _, a := range allocators {
		list = append(list, Default(a))
		for _, g := range coarse {
			base := Candidate{Allocator: named(a), Suballocator: g.suballocator}
			if g.suballocator == "ring" {
				base[ChunkSize] = spec.FormatSize(max(powerOfTwo(l.Largest), leastChunk))
			}
			list = append(list, l.vary([]Candidate{base}, g.most)...)
		}
		if l.OneSize { // else a program that asks for n bytes would have no use for such a pool
			unit := int64(16)
			if spec.Allocator(a).Memory() == spec.DeviceSpans {
				unit = 256
			}
			base := Candidate{Allocator: named(a), Suballocator: "fixed", BlockSize: spec.FormatSize((l.Largest + unit - 1) / unit * unit)}
			list = append(list, l.vary([]Candidate{base}, map[int]int{Trim: 2})...)
		}
	}
	known := map[Candidate]bool{}
	return slices.DeleteFunc(list, func(c Candidate) bool {
		again := known[c]
		known[c] = true
		return again
	})
}

// Default is the pool that a file gets which names an allocator and nothing else.
func Default(allocator string) Candidate {
	return Candidate{Allocator: named(allocator), Suballocator: "heap"}
}

// named is the value for an allocator.
func named(allocator string) string {
	if allocator == "host" {
		return ""
	}
	return allocator
}

// vary takes each value of each setting with each of the others.
func (l Load) vary(list []Candidate, most map[int]int) []Candidate {
	for key := range numKeys {
		if most[key] == 0 {
			continue
		}
		var wider []Candidate
		for _, c := range list {
			values := l.values(key, c[Suballocator])
			for _, v := range values[:min(most[key], len(values))] {
				wider = append(wider, c.with(key, v))
			}
		}
		list = wider
	}
	return list
}
