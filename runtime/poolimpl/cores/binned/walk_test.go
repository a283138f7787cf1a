package binned

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/coretest"
)

// checkWalk compares what is shown of the chunks.
func (m *model) checkWalk() {
	m.t.Helper()
	blocks := map[uint32]map[uint64]coretest.Block{}
	for slot := range m.areas {
		blocks[slot] = map[uint64]coretest.Block{}
	}
	for _, b := range m.live {
		blocks[b.slot][b.addr-m.areas[b.slot].base] = coretest.Block{Asked: b.bytes}
	}
	for _, b := range m.pending {
		blocks[b.slot][b.addr-m.areas[b.slot].base] = coretest.Block{Asked: b.bytes, Pending: true}
	}
	for slot, a := range m.areas {
		sums := coretest.Walk(m.t, &m.core, slot, a.size, blocks[slot])
		if sums[poolrt.PieceLive]+sums[poolrt.PiecePending] != m.core.Used(slot) {
			m.t.Fatalf("chunk %d: %v", slot, sums)
		}
	}
}
