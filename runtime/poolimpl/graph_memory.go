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

// graphs are the parts of a pool's memory that are private to graphs. Their chunks are in no core and not in chunks; they are part of limits.reserved.
type graphs struct {
	list       []*GraphMemory
	bytes      int64   // of all stocks
	chunks     int64   // what these are in limits.chunks
	unreturned []Chunk // of graphs that are gone: the source refused to take them back
	// Engine.returnPrivate once there is something to return, as a variable, so that programs without graphs do not link it.
	returns func(*Engine) (released int64, err error)
}

// giveBackPrivate is returnPrivate if there may be something to return.
func (g *graphs) giveBackPrivate(e *Engine) (released int64, err error) {
	if g.returns == nil {
		return 0, nil
	}
	return g.returns(e)
}

// anyKept reports whether a graph can be launched, or is being captured or launched.
func (g *graphs) anyKept() bool {
	return slices.ContainsFunc(g.list, func(m *GraphMemory) bool { return !m.ended || !m.gone() })
}

// evictAll ends the memory of all graphs of a pool that is being closed, and returns it.
func (g *graphs) evictAll() (chunks []Chunk) {
	for _, m := range g.list {
		own, fromCore := m.leave()
		chunks = slices.Concat(chunks, own, fromCore)
	}
	chunks = append(chunks, g.unreturned...)
	*g = graphs{}
	return chunks
}

// overlaps reports whether a chunk overlaps memory of graphs.
func (g *graphs) overlaps(c Chunk) bool {
	return slices.ContainsFunc(g.unreturned, c.overlaps) || slices.ContainsFunc(g.list, func(m *GraphMemory) bool {
		return slices.ContainsFunc(m.stocks, func(s *stock) bool { return slices.ContainsFunc(s.chunks, c.overlaps) })
	})
}

// of returns the memory that an address lies in, nil if it is that of no graph.
func (g *graphs) of(addr uint64) *GraphMemory {
	for _, m := range g.list {
		if m.holds(addr) {
			return m
		}
	}
	return nil
}

// describe adds the figures.
func (g *graphs) describe(to *poolrt.Stats) {
	to.Graphs, to.Private = int64(len(g.list)), g.bytes
	for _, m := range g.list {
		to.Outputs += int64(len(m.live))
	}
}

// share makes a stock that of one more graph, unless it is also that of a graph which may run at the same time. The capture of its graph has ended, so a stock without
// chunks remains one.
func (g *GraphMemory) share(s *stock, after []*GraphMemory) {
	if len(s.chunks) == 0 || slices.Contains(s.users, g) || len(s.users) == 0 {
		return
	}
	var taken extents
	for _, user := range s.users {
		if !slices.Contains(after, user) {
			return
		}
		for addr, b := range user.live {
			taken.insert(Extent{addr, b.size})
		}
	}
	for _, area := range s.areas {
		for _, x := range taken.gaps(area) {
			g.insert(freeRange{x, area.Addr, nil})
		}
	}
	s.users, g.stocks = append(s.users, g), append(g.stocks, s)
}

// leave ends the memory of a graph. It returns the chunks that no other graph uses: those that came from the source, and those that came from the core.
func (g *GraphMemory) leave() (own, fromCore []Chunk) {
	for _, s := range g.stocks {
		if s.users = slices.DeleteFunc(s.users, func(u *GraphMemory) bool { return u == g }); len(s.users) > 0 {
			continue
		}
		for _, c := range s.chunks {
			if slices.Contains(s.fromCore, c.Addr) {
				fromCore = append(fromCore, c)
			} else {
				own = append(own, c)
			}
		}
	}
	g.over, g.stocks, g.free, g.live = true, nil, nil, nil
	return own, fromCore
}
