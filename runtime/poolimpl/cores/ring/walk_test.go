package ring

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/coretest"
)

// checkWalk compares what is shown of the chunks.
func (m *model) checkWalk() {
	m.t.Helper()
	for slot, s := range m.chunks {
		blocks := map[uint64]coretest.Block{}
		for _, b := range m.live {
			if b.slot == slot {
				blocks[b.at-s.base] = coretest.Block{Asked: b.bytes}
			}
		}
		for _, b := range m.pending {
			if b.slot == slot {
				blocks[b.at-s.base] = coretest.Block{Asked: b.bytes, Pending: true}
			}
		}
		sums := coretest.Walk(m.t, m.c, slot, s.size, blocks)
		free := uint64(0)
		for _, a := range m.c.chunks[slot].arenas {
			free += a.size - a.used()
		}
		if next := m.c.cut(slot); next.size > 0 {
			free += (s.size - next.start) &^ (granule - 1)
		}
		if sums[poolrt.PieceFree] != free {
			m.t.Fatalf("chunk %d: %v, want %d free", slot, sums, free)
		}
	}
}
