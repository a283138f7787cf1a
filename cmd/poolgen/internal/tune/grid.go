package tune

import (
	"slices"

	"github.com/poolgen/poolgen/spec"
)

// searched are the suballocators that are tried.
var searched = []struct {
	suballocator spec.Suballocator
	most         map[int]int // how many values of each setting the grid has, in the order of [Load.values]
	refined      []int       // settings that are changed in the best candidates
}{
	{spec.Heap, map[int]int{Fit: 3, ChunkSize: 4, Trim: 3}, []int{Fit, ChunkSize, Growth, MinSplit, Trim}},
	{spec.Binned, map[int]int{ChunkSize: 3, Bins: 2, Trim: 3}, []int{ChunkSize, Growth, Bins, Trim}},
	{spec.Classes, map[int]int{ChunkSize: 2, Bins: 3, Trim: 3}, []int{ChunkSize, Growth, Bins, Cache, Trim}},
	{spec.Ring, nil, []int{ChunkSize, Trim}},
	{spec.NoSuballocator, nil, nil},
	{spec.Fixed, map[int]int{Trim: 2}, []int{ChunkSize, Growth, Trim}},
}

// refined lists the settings that are changed in the best candidates.
func refined(suballocator string) []int {
	for _, s := range searched {
		if string(s.suballocator) == suballocator {
			return s.refined
		}
	}
	return nil
}

// grid lists the first candidates, beginning with the default of each allocator.
func (l Load) grid(allocators []string) (list []Candidate) {
	for _, a := range allocators {
		list = append(list, Default(a))
		for _, s := range searched {
			if base, ok := l.base(a, s.suballocator); ok {
				list = append(list, l.vary([]Candidate{base}, s.most)...)
			}
		}
	}
	known := map[Candidate]bool{}
	return slices.DeleteFunc(list, func(c Candidate) bool {
		again := known[c]
		known[c] = true
		return again
	})
}

// base sets what a suballocator needs to serve the traces, if it can serve them.
func (l Load) base(allocator string, s spec.Suballocator) (Candidate, bool) {
	c, info := Candidate{Allocator: named(allocator), Suballocator: string(s)}, s.Info()
	switch {
	case info.OneSize && !l.OneSize: // a program whose requests have many sizes cannot use such a pool
		return c, false
	case info.OneSize:
		unit := int64(16)
		if spec.Allocator(allocator).Memory() == spec.DeviceSpans {
			unit = 256
		}
		c[BlockSize] = spec.FormatSize((l.Largest + unit - 1) / unit * unit)
	case info.Arenas:
		c[ChunkSize] = spec.FormatSize(max(powerOfTwo(l.Largest), leastChunk))
	}
	return c, true
}

// Default is the pool of a file that names an allocator and nothing else.
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

// vary combines each value of each setting with each value of the others.
func (l Load) vary(list []Candidate, most map[int]int) []Candidate {
	for key := range numKeys {
		if most[key] == 0 {
			continue
		}
		var wider []Candidate
		for _, c := range list {
			values := l.values(key, c)
			for _, v := range values[:min(most[key], len(values))] {
				wider = append(wider, c.with(key, v))
			}
		}
		list = wider
	}
	return list
}
