package heap

import (
	"math/rand/v2"
	"slices"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/coretest"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

var _ poolimpl.PagedCore = (*Core)(nil)

// pageModel is the model of a heap on pages: which granule has memory, and which block lies there.
type pageModel struct {
	t      testing.TB
	core   Core
	base   uint64
	page   uint64 // granules
	there  []bool // by page
	owner  []int  // by granule; 0: none, -1: barred
	blocks map[int]block
	next   int
}

func newPageModel(t testing.TB, pages int, page uint64) *pageModel {
	g := &pageModel{t: t, core: newCore(), base: 3 * page * granule, page: page, there: make([]bool, pages), owner: make([]int, pages*int(page)), blocks: map[int]block{}}
	g.core.Reserve(0, g.base, uint64(pages)*page*granule, page*granule)
	return g
}

// extent is a row of granules.
func (g *pageModel) extent(from, to int) poolimpl.Extent {
	return poolimpl.Extent{Addr: g.base + uint64(from)*granule, Size: uint64(to-from) * granule}
}

// granules is the inverse of extent.
func (g *pageModel) granules(x poolimpl.Extent) (from, to int) {
	from = int((x.Addr - g.base) / granule)
	return from, from + int(x.Size/granule)
}

// rows lists the rows of pages for which a condition holds.
func (g *pageModel) rows(holds func(page int) bool) (list []poolimpl.Extent) {
	p := int(g.page)
	for i := 0; i < len(g.there); i++ {
		first := i
		for i < len(g.there) && holds(i) {
			i++
		}
		if i > first {
			list = append(list, g.extent(first*p, i*p))
		}
	}
	return list
}

func (g *pageModel) isFree(page int) bool {
	p := int(g.page)
	return g.there[page] && !slices.ContainsFunc(g.owner[page*p:(page+1)*p], func(b int) bool { return b != 0 })
}

func (g *pageModel) isBarred(page int) bool { return g.owner[page*int(g.page)] < 0 }

// bar bars some of the pages without memory, and ends that for some others.
func (g *pageModel) bar(r *rand.Rand) {
	p := int(g.page)
	for i, there := range g.there {
		x := g.extent(i*p, (i+1)*p)
		switch {
		case there || r.IntN(4) > 0:
			continue
		case g.isBarred(i):
			g.core.Unbar(x)
		default:
			g.core.Bar(x)
			if _, v := g.core.Free(x.Addr, granule); v != poolimpl.Double {
				g.t.Fatalf("free of %#x, which is barred: verdict %d", x.Addr, v)
			}
		}
		for k := range p {
			g.owner[i*p+k] = -1 - g.owner[i*p+k]
		}
	}
}

// check compares the heap with the model.
func (g *pageModel) check() {
	g.t.Helper()
	if got, want := g.core.Holes(g.extent(0, len(g.owner))), g.rows(func(i int) bool { return !g.there[i] && !g.isBarred(i) }); !slices.Equal(got, want) {
		g.t.Fatalf("holes %v, want %v", got, want)
	}
	if got, want := g.core.FreePages(), g.rows(g.isFree); !slices.Equal(got, want) {
		g.t.Fatalf("free pages %v, want %v", got, want)
	}
	g.core.Space.checkPages(g.t)
	if u := g.core.Usage(); u.Live != uint64(len(g.blocks)) {
		g.t.Fatalf("%d live, want %d", u.Live, len(g.blocks))
	}
}

// cheapest returns how many granules have to come at least for n of them at a multiple of align, -1 if there is no room.
func (g *pageModel) cheapest(n, align int) int {
	best := -1
	for start := range g.owner {
		if (int(g.base/granule)+start)%align != 0 || start+n > len(g.owner) {
			continue
		}
		if slices.ContainsFunc(g.owner[start:start+n], func(b int) bool { return b != 0 }) {
			continue
		}
		missing := 0
		for p := start / int(g.page); p*int(g.page) < start+n; p++ {
			if !g.there[p] {
				missing += int(g.page)
			}
		}
		if best < 0 || missing < best {
			best = missing
		}
	}
	return best
}

// fewest returns how many granules the pages without blocks have at least where n granules would lie, and some page has no memory; -1 if there is no room.
func (g *pageModel) fewest(n int) int {
	best := -1
	for start := 0; start+n <= len(g.owner); start++ {
		if slices.ContainsFunc(g.owner[start:start+n], func(b int) bool { return b != 0 }) {
			continue
		}
		unused, missing, p := 0, false, int(g.page)
		for k := start / p; k*p < start+n; k++ {
			missing = missing || !g.there[k]
			if !slices.ContainsFunc(g.owner[k*p:(k+1)*p], func(b int) bool { return b != 0 }) {
				unused += p
			}
		}
		if missing && (best < 0 || unused < best) {
			best = unused
		}
	}
	return best
}

// tightest checks the place with the fewest pages without blocks, for a request that needs memory.
func (g *pageModel) tightest(bytes uint64) {
	g.t.Helper()
	if g.core.Usage().LargestFree >= bytes {
		return
	}
	want := g.fewest(int(roundUp(bytes, granule) / granule))
	x := g.core.Gap(bytes, 1, poolimpl.LeastPages)
	if want < 0 || x.Size == 0 {
		if want >= 0 {
			g.t.Fatalf("%d: no place, there is one with %d granules", bytes, want)
		}
		return
	}
	from, to := g.granules(x)
	unused, p := 0, int(g.page)
	for k := from / p; k*p < to; k++ {
		if !slices.ContainsFunc(g.owner[k*p:(k+1)*p], func(b int) bool { return b != 0 }) {
			unused += p
		}
	}
	if unused != want {
		g.t.Fatalf("%d: %d granules of pages without blocks at %v, %d would do", bytes, unused, x, want)
	}
}

// alloc takes a block, having memory come where that is needed. It reports whether there was room.
func (g *pageModel) alloc(bytes, align uint64) bool {
	g.t.Helper()
	_, off, ok := g.core.Alloc(bytes, align)
	n, a := int(roundUp(bytes, granule)/granule), int(max(align/granule, 1))
	if !ok {
		want := g.cheapest(n, a)
		at := g.core.Gap(bytes, align, poolimpl.LeastMemory)
		if want < 0 {
			if at.Size != 0 {
				g.t.Fatalf("%d aligned to %d: a gap at %v, and there is no room", bytes, align, at)
			}
			return false
		}
		missing := g.core.Holes(at)
		sum := 0
		for _, x := range missing {
			from, to := g.granules(x)
			sum += to - from
		}
		if want > 0 && (sum < want || a == 1 && sum != want) { // an alignment may cost a page that another place would not
			g.t.Fatalf("%d aligned to %d: %d granules missing at %v, %d would do", bytes, align, sum, at, want)
		}
		for _, x := range missing {
			g.fill(x)
		}
		if _, off, ok = g.core.Alloc(bytes, align); !ok {
			g.t.Fatalf("%d aligned to %d: no room although memory came to %v", bytes, align, at)
		}
	}
	g.next++
	b := block{addr: g.base + off, bytes: bytes}
	from := int(off / granule)
	for i := from; i < from+n; i++ {
		if g.owner[i] != 0 || !g.there[i/int(g.page)] {
			g.t.Fatalf("a block at %d+%d: granule %d has block %d, memory: %t", from, n, i, g.owner[i], g.there[i/int(g.page)])
		}
	}
	link := g.core.Space.Find(b.addr)
	b.room = g.core.Space.Room(*link) / granule
	for i := from; i < from+int(b.room); i++ {
		g.owner[i] = g.next
	}
	g.blocks[g.next] = b
	return true
}

// apart has memory come for a request that is to lie on nothing else, if there is such a place.
func (g *pageModel) apart(bytes, align uint64) {
	g.t.Helper()
	x := g.core.Gap(bytes, align, poolimpl.Apart)
	fits := func(from, to int) bool { // all missing, and room in it, wherever it begins
		start := int(((x.Addr+align-1)&^(align-1) - g.base) / granule)
		return start+int((bytes+granule-1)/granule) <= to && len(g.core.Holes(g.extent(from, to))) == 1
	}
	if from, to := g.granules(x); x.Size > 0 {
		if !fits(from, to) || g.core.Holes(x)[0] != x || from > 0 && g.there[from/int(g.page)-1] && g.owner[from-1] == 0 {
			g.t.Fatalf("%d aligned to %d: apart at %v", bytes, align, x)
		}
		g.fill(x)
		return
	}
	for _, h := range g.core.Holes(g.extent(0, len(g.owner))) {
		from, to := g.granules(h)
		if from > 0 && g.owner[from-1] == 0 {
			from += int(g.page)
		}
		if x = g.extent(from, to); from < to && fits(from, to) {
			g.t.Fatalf("%d aligned to %d: nothing apart, but there is room at %v", bytes, align, x)
		}
	}
}

func (g *pageModel) fill(x poolimpl.Extent) {
	g.core.Fill(x)
	for i, to := g.granules(x); i < to; i++ {
		g.there[i/int(g.page)] = true
	}
}

// free gives a block back, and says whether pages became free by it.
func (g *pageModel) free(id int) {
	g.t.Helper()
	b := g.blocks[id]
	delete(g.blocks, id)
	from := int((b.addr - g.base) / granule)
	for i := from; i < from+int(b.room); i++ {
		g.owner[i] = 0
	}
	want := poolimpl.Freed
	if feature.Trims && feature.Pages {
		for p := from / int(g.page); p*int(g.page) < from+int(b.room); p++ {
			if g.isFree(p) {
				want = poolimpl.Emptied
			}
		}
	}
	if feature.Trims && len(g.blocks) == 0 {
		want = poolimpl.Emptied
	}
	if slot, v := g.core.Free(b.addr, b.bytes); slot != 0 || v != want {
		g.t.Fatalf("free of %+v: verdict %d, want %d", b, v, want)
	}
}

// vacate removes the memory of some of the free pages.
func (g *pageModel) vacate(r *rand.Rand) {
	var parts []poolimpl.Extent
	for _, x := range g.core.FreePages() {
		from, to := g.granules(x)
		p := int(g.page)
		for i := from / p; i < to/p; i++ {
			if r.IntN(3) > 0 {
				continue
			}
			j := i + 1 + r.IntN(to/p-i)
			parts = append(parts, g.extent(i*p, j*p))
			for k := i; k < j; k++ {
				g.there[k] = false
			}
			i = j
		}
	}
	g.core.Vacate(parts)
}

// reset frees all blocks at once. Pages stay where they are.
func (g *pageModel) reset() {
	if bars {
		for i := range g.there {
			if g.isBarred(i) {
				g.core.Unbar(g.extent(i*int(g.page), (i+1)*int(g.page)))
			}
		}
	}
	g.core.Reset()
	clear(g.owner)
	clear(g.blocks)
}

// checkPages verifies the list of holes, and that no two of them are neighbours.
func (s *Space) checkPages(t testing.TB) {
	t.Helper()
	var holes, closed []uint32
	for i := s.chunks[0].first; i != 0; i = s.at(i).next {
		if s.at(i).state() == poolrt.PieceWaste {
			closed = append(closed, i)
		}
		if s.at(i).state() != poolrt.PieceHole {
			continue
		}
		if n := len(holes); n > 0 && s.at(i).prev == holes[n-1] {
			t.Fatalf("holes %d and %d are neighbours", holes[n-1], i)
		}
		holes = append(holes, i)
	}
	if !slices.Equal(holes, s.holes) {
		t.Fatalf("holes %v, listed %v", holes, s.holes)
	}
	free, blocks := map[uint32]bool{}, map[uint32]bool{}
	s.checkChunk(t, 0, free, blocks)
	if bars {
		if !slices.Equal(closed, s.barred) {
			t.Fatalf("barred %v, listed %v", closed, s.barred)
		}
	}
	for _, i := range slices.Concat(holes, closed) {
		delete(blocks, i)
	}
	s.checkIndex(t, blocks)
	s.checkReserve(t, len(free)+len(blocks)+len(holes)+len(closed))
}

// In any order of calls, blocks lie where memory is, requests take the place that needs the least of it, and the free pages are listed.
func TestPages(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 7))
		page := uint64(1 + r.IntN(9))
		g := newPageModel(t, 4+r.IntN(20), page)
		for range 300 {
			switch k := r.IntN(10); {
			case k < 5:
				bytes := 1 + r.Uint64N(granule*[]uint64{1, page, 4 * page}[r.IntN(3)])
				g.alloc(bytes, 1<<r.IntN(3)*granule)
			case k < 9:
				for id := range g.blocks {
					g.free(id)
					break
				}
			default:
				g.vacate(r)
				g.tightest(1 + r.Uint64N(granule*4*page))
				g.apart(1+r.Uint64N(granule*2*page), 1<<r.IntN(4)*granule)
				if bars {
					g.bar(r)
				}
				if feature.Pages && r.IntN(8) == 0 {
					g.reset()
				}
			}
			g.check()
		}
		for id := range g.blocks {
			g.free(id)
		}
		if feature.Pages {
			g.reset()
		}
		g.core.Vacate(g.core.FreePages())
		clear(g.there)
		g.check()
		if feature.Pages {
			g.core.Remove(0)
			g.core.Space.check(t)
		}
	}
}

// Where memory has come for a request, it is served, however many ranges there are that end before the next multiple.
func TestGapServes(t *testing.T) {
	const page, many = 8, 100
	if !feature.Pages || leastRest > 1 {
		t.Skip("chunks come whole, or there are no ranges that short")
	}
	g := newPageModel(t, many+2, page)
	g.fill(g.extent(0, many*page))
	var odd []int
	for range many {
		for _, n := range []uint64{1, 5, 2} {
			g.alloc(n*granule, granule)
			if n == 5 {
				odd = append(odd, g.next)
			}
		}
	}
	for _, id := range odd {
		g.free(id)
	}
	for range 2 {
		if !g.alloc(4*granule, page*granule) {
			t.Error("no room")
		}
		g.check()
	}
}

// Chunks of pages come and go independently of each other, also if they touch.
func TestTwoRanges(t *testing.T) {
	page, pages := 8*granule, uint64(4)
	c := newCore()
	base := uint64(1 << 40)
	at := func(slot, from, n uint64) poolimpl.Extent {
		return poolimpl.Extent{Addr: base + (slot*pages+from)*page, Size: n * page}
	}
	c.Reserve(0, base, pages*page, page)
	c.Reserve(1, base+pages*page, pages*page, page)
	if x := c.Gap((pages+1)*page, 1, poolimpl.LeastMemory); x.Size != 0 {
		t.Errorf("a place across chunks: %v", x)
	}
	c.Fill(at(0, 3, 1))
	c.Fill(at(1, 0, 2))
	if got, want := c.FreePages(), []poolimpl.Extent{at(0, 3, 1), at(1, 0, 2)}; !slices.Equal(got, want) {
		t.Errorf("free pages %v, want %v", got, want)
	}
	slot, off, ok := c.Alloc(2*page, 1)
	if !ok || slot != 1 || off != 0 {
		t.Errorf("slot %d, offset %d, %t", slot, off, ok)
	}
	if gone := c.Vacate([]poolimpl.Extent{at(0, 3, 1), at(1, 0, 3)}); !slices.Equal(gone, []poolimpl.Extent{at(0, 3, 1)}) {
		t.Errorf("pages %v go, of which others have a block or no memory", gone)
	}
	if feature.Pages {
		c.Remove(0)
	}
	if got := c.Holes(at(1, 0, pages)); !slices.Equal(got, []poolimpl.Extent{at(1, 2, 2)}) {
		t.Errorf("holes %v", got)
	}
	c.Free(base+pages*page, 2*page)
	c.Vacate(c.FreePages())
	if x := c.Gap(pages*page, 1, poolimpl.LeastPages); feature.Pages && x != at(1, 0, pages) {
		t.Errorf("a place at %v", x)
	}
	if feature.Pages {
		c.Remove(1)
		c.Space.check(t)
	}
}

// A free of an address without memory is refused.
func TestNothingIsFreedInAHole(t *testing.T) {
	g := newPageModel(t, 8, 4)
	g.fill(g.extent(8, 12))
	for i := range g.owner {
		want := poolimpl.Foreign
		if i >= 8 && i < 12 {
			want = poolimpl.Double
		}
		if _, v := g.core.Free(g.base+uint64(i)*granule, granule); v != want {
			t.Errorf("granule %d: verdict %d, want %d", i, v, want)
		}
	}
	g.check()
}

// Addresses without memory are holes.
func TestWalkHoles(t *testing.T) {
	c := newCore()
	page := 4096 * granule // no rest is too small to be split off
	c.Reserve(0, 1<<40, 8*page, page)
	c.Fill(poolimpl.Extent{Addr: 1<<40 + 2*page, Size: 3 * page})
	_, off, ok := c.Alloc(page, 1)
	if !ok || off != 2*page {
		t.Fatalf("%d, %v", off, ok)
	}
	sums := coretest.Walk(t, &c, 0, 8*page, map[uint64]coretest.Block{off: {Asked: page}})
	if sums[poolrt.PieceHole] != 5*page || sums[poolrt.PieceFree] != 2*page {
		t.Errorf("%v", sums)
	}
	if bars {
		c.Bar(poolimpl.Extent{Addr: 1<<40 + 6*page, Size: page})
		if sums := coretest.Walk(t, &c, 0, 8*page, map[uint64]coretest.Block{off: {Asked: page}}); sums[poolrt.PieceHole] != 5*page || sums[poolrt.PieceWaste] != 0 {
			t.Errorf("barred: %v", sums)
		}
	}
}
