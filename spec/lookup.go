package spec

import (
	"slices"
	"strings"
)

// The values of the key lookup.
const (
	LookupAddress = "address" // FindFoo, FreeFooAt, UsableFoo, ResizeFoo
	LookupIndex   = "index"   // IndexFoo, FooAtIndex
	LookupHandle  = "handle"  // FooHandle
)

// Finds reports whether the pool finds blocks in one of the ways of the key lookup.
func (p *Pool) Finds(way string) bool { return slices.Contains(p.Lookup, way) }

// maxIndexed is the largest number of blocks that an index of 32 bits distinguishes: three values have another meaning.
const maxIndexed = 1<<32 - 3

// OneChunk reports whether the pool can never hold two chunks: after the first, the largest limit leaves less than the allocator's unit. A chunk of more blocks
// than an index distinguishes is cut short, which leaves room for a second one. Blocks whose size only the Go compiler knows count as one byte.
func (p *Pool) OneChunk() bool {
	return p.ItemForm() && p.Allocator != NoAllocator && p.MaxLimit != NoLimit && p.MaxLimit-p.ChunkSize < p.Granularity &&
		p.ChunkSize/p.leastStride() <= maxIndexed
}

// OneRange reports whether all blocks of the pool lie in one range of addresses, with several chunks: those of a pool of host memory whose limit bounds the range.
// Where a free has to tell that it emptied a chunk, and where goroutines do not share a lock, chunks lie anywhere.
func (p *Pool) OneRange() bool {
	return p.Ranged() && len(p.Allocators()) == 1 && !p.OneChunk() && p.MaxLimit <= maxRange && p.MaxLimit/p.leastStride() <= maxIndexed
}

// Ranged reports whether the chunks of the pool usually lie in one range of addresses.
func (p *Pool) Ranged() bool {
	return p.ItemForm() && p.Allocator == Host && p.Concurrency != Sharded && !p.Streams() && !p.TrimsOnFree()
}

// maxRange is the size of the largest range that the blocks with an index can lie in.
const maxRange = 64 << 30

// leastStride is the distance of neighbouring blocks, or 1 if only the Go compiler knows the size of the item.
func (p *Pool) leastStride() int64 {
	switch t := p.Item.Type[strings.LastIndexByte(p.Item.Type, ']')+1:]; {
	case p.BlockSize > 0:
		return max(p.BlockSize, p.Alignment)
	case p.Item.Size > 0 && t != "int" && t != "uint" && t != "uintptr":
		return roundUp(p.Item.Size, max(p.Alignment, 1))
	}
	return 1
}

// readLookup reads a list of words. A single word needs no brackets.
func (c *poolCheck) readLookup(k *Key, n *node) bool {
	if n.kind == scalarNode && !n.null {
		n = &node{kind: listNode, items: []*node{n}, pos: n.pos, end: n.end}
	}
	words, _, ok := c.readWords(k, n, codeUnknownValue)
	if ok {
		c.p.Lookup = words
	}
	return ok
}

// An index is the number of a block in the only chunk of its pool, or in its range. A handle is an index with a generation, which the suballocator fixed counts.
var lookupRules = []struct {
	ways   []string
	broken func(*Pool) bool
	why    string // after the name of the way
	help   string
}{
	{[]string{LookupIndex, LookupHandle}, func(p *Pool) bool { return !p.ItemForm() || p.Allocator == NoAllocator },
		"needs suballocator fixed over memory: the blocks of other pools have no index", "use suballocator: fixed, or lookup: address"},
	{[]string{LookupHandle}, func(p *Pool) bool { return p.Concurrency == Sharded },
		"needs a pool with one lock or none", "use concurrency: mutex"},
	{[]string{LookupHandle}, (*Pool).Streams,
		"needs ordering sync: a handle is refused as soon as its block is freed", "use ordering: sync"},
	{[]string{LookupIndex, LookupHandle}, func(p *Pool) bool { return !p.OneChunk() && !p.OneRange() },
		"needs all blocks in one chunk, or in one range of host memory, of fewer than 2^32 blocks",
		"set limit, and chunk_size to the same value; it may be smaller for host memory without trim and without concurrency: sharded"},
	{[]string{LookupIndex, LookupHandle}, func(p *Pool) bool {
		return slices.ContainsFunc(p.OnExhausted, func(r Rung) bool { return r.Kind == RungDriver || r.Kind == RungPool })
	}, "does not go with the rungs driver and pool, whose blocks lie outside of the chunk", "leave out the rung, or use lookup: address"},
	{[]string{LookupIndex, LookupHandle}, func(p *Pool) bool { return p.Shareable || p.Device.Kind == EachDevice },
		"does not go with shareable or device: each, whose blocks lie in several ranges", "use lookup: address"},
}

// checkLookup refuses ways to find blocks that the pool cannot offer.
func (c *poolCheck) checkLookup() {
	n := c.nodes["lookup"]
	if n == nil {
		return
	}
	for i, way := range c.p.Lookup {
		at := n
		if n.kind == listNode && i < len(n.items) {
			at = n.items[i]
		}
		for _, rule := range lookupRules {
			if slices.Contains(rule.ways, way) && rule.broken(c.p) {
				c.fail(codeCombination, at, rule.help, "lookup %s %s", way, rule.why)
				break
			}
		}
	}
}
