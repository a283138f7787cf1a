package heap

import (
	"math/rand/v2"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/coretest"
)

// checkWalk compares what is shown of the chunks.
func (m *model) checkWalk() {
	m.t.Helper()
	for slot, a := range m.areas {
		blocks := map[uint64]coretest.Block{}
		for _, b := range a.blocks {
			blocks[b.addr-a.base] = coretest.Block{Asked: b.bytes, Pending: b.pending}
		}
		free := uint64(0)
		for _, g := range a.gaps() {
			free += g.size
		}
		sums := coretest.Walk(m.t, &m.core, slot, a.size, blocks)
		if sums[poolrt.PieceFree] != free || sums[poolrt.PieceLive]+sums[poolrt.PiecePending] != m.core.Used(slot) || sums[poolrt.PieceCached] > 0 {
			m.t.Fatalf("chunk %d: %v, want %d free", slot, sums, free)
		}
	}
}

// What was shown stays, and the rest follows as it is now, whatever comes in between: each part is right, and nothing is left out or shown twice.
func TestWalkGoesOnAfterChanges(t *testing.T) {
	size := 1 << 20 * granule / 16
	r := rand.New(rand.NewPCG(11, 12))
	for range 30 {
		c := newCore()
		c.Add(0, 1<<40, size)
		live := map[uint64]uint64{}
		change := func() {
			for range r.IntN(200) {
				if n := 1 + r.Uint64N(40*granule); r.IntN(2) == 0 {
					if _, off, ok := c.Alloc(n, 1); ok {
						live[off] = n
					}
				} else {
					for off, n := range live {
						c.Free(1<<40+off, n)
						delete(live, off)
						break
					}
				}
			}
		}
		change()
		from := uint64(0)
		for ; from < size/granule*granule; change() {
			first, more := from, false
			c.Walk(0, first, func(p poolrt.Piece) bool {
				end := p.Off + p.Size
				if n, isLive := live[p.Off]; p.Off > from || end <= from || isLive != (p.State == poolrt.PieceLive) || n != p.Asked || p.Off < first && from != first {
					t.Fatalf("%+v from %d on, at %d, live is %d", p, first, from, n)
				}
				from = end
				more = r.IntN(10) > 0
				return more
			})
			if more && from < size/granule*granule || from == first {
				t.Fatalf("ended at %d of %d", from, uint64(size))
			}
		}
	}
}
