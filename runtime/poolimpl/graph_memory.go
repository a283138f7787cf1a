package poolimpl

import (
	"slices"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// GraphMemory is the memory of a pool that is private to one graph: the blocks that were allocated on streams while the work of these was captured. A launch
// does what was captured, in the same places. So a place is used again within the graph as soon as the work that used it is done before the work that will, and
// nobody outside the graph gets it as long as the graph can be launched.
//
// Package cuda makes one for each pool of a capture. It is guarded by the lock of the pool.
type GraphMemory struct {
	engine *Engine
	gone   func() bool // nobody can launch the graph any more
	stocks []*stock    // the memory; the first is its own, the others it has in common with graphs that never run at the same time
	free   []freeRange // by address
	live   map[uint64]graphBlock
	ended  bool // the capture has ended: what is live stays live
	over   bool // the memory went back
}

// stock is chunks that belong to one graph or, if these never run at the same time, to several.
type stock struct {
	chunks   []Chunk
	fromCore []uint64 // addresses of the chunks that came from the core, and go back there
	areas    []Extent // of the chunks: those that are in one piece are one area
	users    []*GraphMemory
}

// freeRange is memory without a live block, in one area.
type freeRange struct {
	Extent
	area  uint64  // its start
	after []int32 // the nodes whose work may use it: it is free for what comes after all of these
}

// graphBlock is a live block.
type graphBlock struct {
	bytes, size uint64  // requested; taken up
	area        uint64  // the start of the one that it lies in
	after       []int32 // what its places were after when it was allocated
}

// Nodes is a set of the nodes of a capture, by number.
type Nodes []uint64

// Has reports whether a node is in the set.
func (s Nodes) Has(n int32) bool {
	word := int(n >> 6)
	return word < len(s) && s[word]>>(n&63)&1 != 0
}

// Add adds a node, and reports whether it is new.
func (s *Nodes) Add(n int32) bool {
	word := int(n >> 6)
	for word >= len(*s) {
		*s = append(*s, 0)
	}
	bit := uint64(1) << (n & 63)
	if (*s)[word]&bit != 0 {
		return false
	}
	(*s)[word] |= bit
	return true
}

// hasAll reports whether all of some nodes are in the set.
func (s Nodes) hasAll(list []int32) bool {
	for _, n := range list {
		if !s.Has(n) {
			return false
		}
	}
	return true
}

// Point is a point in the captured work of a stream.
type Point struct {
	Front  []int32 // the nodes that the next work follows directly; never changed afterwards
	Before Nodes   // nodes whose work is done before the next begins: some of them, or all
}

// Take hands out a block of memory that is free at a point. It reports false if there is none. The caller does not hold e.mu.
func (g *GraphMemory) Take(p Point, n int, item, align uint64) (Block, bool) {
	e := g.engine
	if !countable(n, item) {
		return Block{}, false
	}
	e.lock()
	defer e.unlock()
	if g.over || e.streams.resting {
		return Block{}, false
	}
	bytes := uint64(n) * item
	at, size := g.find(p.Before.hasAll, roundUp64(bytes, e.config.Private), align)
	if size == 0 {
		return Block{}, false
	}
	b := g.carve(at, size)
	b.bytes = bytes
	g.live[at] = b
	return Block{foundBlock{Addr: at}, n}, true
}

// MayTake reports whether Take would find a block, or Grow need less, if a point came after all that may use free memory: if not, it does not help to find out what
// comes before the point. The caller does not hold e.mu.
func (g *GraphMemory) MayTake(n int, item, align uint64) bool {
	e := g.engine
	if !countable(n, item) {
		return false
	}
	e.lock()
	defer e.unlock()
	_, size := g.find(func([]int32) bool { return true }, roundUp64(uint64(n)*item, e.config.Private), align)
	return size > 0 || g.extends() && slices.ContainsFunc(g.stocks[0].areas, g.endsFree)
}

// extends reports whether areas can be made longer. In debug builds chunks lie apart.
func (g *GraphMemory) extends() bool { return g.engine.memory.Behind != nil && !Debug }

// endsFree reports whether there is free memory at the end of an area, for whatever comes after some nodes.
func (g *GraphMemory) endsFree(area Extent) bool { return g.isFree(area.end() - 1) }

// find returns the place for so many bytes in the shortest row of free memory that has room for them. passed reports whether memory after some nodes is free.
func (g *GraphMemory) find(passed func(after []int32) bool, bytes, align uint64) (at, size uint64) {
	best := ^uint64(0)
	for i := 0; i < len(g.free); {
		first := &g.free[i]
		i++
		if !passed(first.after) {
			continue
		}
		end := first.end()
		for i < len(g.free) && g.free[i].Addr == end && g.free[i].area == first.area && passed(g.free[i].after) {
			end = g.free[i].end()
			i++
		}
		from := (first.Addr + align - 1) &^ (align - 1)
		if row := end - first.Addr; from+bytes <= end && row < best {
			best, at, size = row, from, bytes
			if row == bytes {
				break
			}
		}
	}
	return at, size
}

// carve takes a place out of the free memory.
func (g *GraphMemory) carve(at, size uint64) graphBlock {
	x := Extent{at, size}
	from := g.search(at+1) - 1 // the range that at lies in
	b := graphBlock{size: size, area: g.free[from].area}
	rest := make([]freeRange, 0, 2) // in front of the place, and behind it
	to := from
	for ; to < len(g.free) && g.free[to].Addr < x.end(); to++ {
		r := g.free[to]
		b.after = union(b.after, r.after)
		for _, y := range r.without(x) {
			rest = append(rest, freeRange{y, r.area, r.after})
		}
	}
	g.free = slices.Replace(g.free, from, to, rest...)
	return b
}

// union returns a list of the nodes in either list. It changes neither.
func union(a, b []int32) []int32 {
	if len(a) == 0 {
		return b
	}
	for _, n := range b {
		if !slices.Contains(a, n) {
			a = append(slices.Clip(a), n)
		}
	}
	return a
}

// Free frees a block at a point, which comes after all work on it. Its memory is free for what follows. It reports false, and does nothing, if the address does not lie
// in the memory. The caller does not hold e.mu.
func (g *GraphMemory) Free(p Point, addr, bytes uint64) (held bool, err error) {
	e := g.engine
	e.lock()
	defer e.unlock() // sends no events: the capture is locked, and hooks may use its streams
	b, ok := g.live[addr]
	switch {
	case !ok && !g.holds(addr):
		return false, nil
	case e.life.closed:
		return true, e.refuseFree(poolrt.ErrClosed, addr, "")
	case !ok && g.isFree(addr):
		return true, e.refuseFree(poolrt.ErrDoubleFree, addr, "")
	case !ok || b.bytes != bytes:
		return true, e.refuseFree(poolrt.ErrForeign, addr, "")
	}
	delete(g.live, addr)
	g.put(p, addr, b)
	return true, nil
}

// put makes the place of a block free for what comes after a point. Nodes before that add nothing.
func (g *GraphMemory) put(p Point, addr uint64, b graphBlock) {
	after := p.Front
	for _, n := range b.after { // the stream of the free need not come after them: the block may never have been used
		if !p.Before.Has(n) {
			after = union(after, []int32{n})
		}
	}
	if len(after) > 1 {
		after = slices.Sorted(slices.Values(after))
	}
	g.insert(freeRange{Extent{addr, b.size}, b.area, after})
}

// insert adds free memory, and joins it with neighbours that are free after the same nodes.
func (g *GraphMemory) insert(r freeRange) {
	at := g.search(r.Addr)
	joins := func(a, b freeRange) bool {
		return a.end() == b.Addr && a.area == b.area && slices.Equal(a.after, b.after)
	}
	if at < len(g.free) && joins(r, g.free[at]) {
		r.Size += g.free[at].Size
		g.free = slices.Delete(g.free, at, at+1)
	}
	if at > 0 && joins(g.free[at-1], r) {
		g.free[at-1].Size += r.Size
		return
	}
	g.free = slices.Insert(g.free, at, r)
}

// search returns the index of the first free memory that begins at an address or behind it. slices.BinarySearchFunc takes several times as long.
func (g *GraphMemory) search(addr uint64) int {
	low, high := 0, len(g.free)
	for low < high {
		if mid := (low + high) / 2; g.free[mid].Addr < addr {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// isFree reports whether an address lies in free memory.
func (g *GraphMemory) isFree(addr uint64) bool {
	return slices.ContainsFunc(g.free, func(r freeRange) bool { return addr-r.Addr < r.Size })
}

// holds reports whether an address lies in the memory.
func (g *GraphMemory) holds(addr uint64) bool {
	return slices.ContainsFunc(g.stocks, func(s *stock) bool {
		return slices.ContainsFunc(s.chunks, func(c Chunk) bool { return addr-c.Addr < uint64(c.Size) })
	})
}

// roundUp64 rounds n up to a multiple of unit.
func roundUp64(n, unit uint64) uint64 { return (n + unit - 1) / unit * unit }

// Clear clears a block in the order of a captured stream, if the pool does so at each allocation. The caller does not hold e.mu.
func (g *GraphMemory) Clear(on Stream, addr, bytes uint64) error {
	e := g.engine
	if !e.config.ZeroDevice {
		return nil
	}
	e.lock()
	clear, apart := e.memory.ZeroOn, e.observed.debug.apart()
	e.unlock()
	return clear(on, Chunk{Addr: addr * apart, Size: int64(bytes)})
}
