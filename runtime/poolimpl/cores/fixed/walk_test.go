package fixed

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/coretest"
)

// checkWalk compares what is shown of the chunks.
func (m *model) checkWalk() {
	m.t.Helper()
	blocks := map[uint32]map[uint64]coretest.Block{}
	for slot := range m.chunks {
		blocks[slot] = map[uint64]coretest.Block{}
	}
	for addr, slot := range m.live {
		blocks[slot][addr-m.chunks[slot].base] = coretest.Block{Asked: m.p.ItemBytes}
	}
	for _, p := range m.pending {
		blocks[p.slot][p.addr-m.chunks[p.slot].base] = coretest.Block{Asked: m.p.ItemBytes, Pending: true}
	}
	for slot, s := range m.chunks {
		sums := coretest.Walk(m.t, m.c, slot, s.size, blocks[slot])
		if sums[poolrt.PieceWaste] != s.size%m.p.BlockSize+uint64(len(m.retired))*m.p.BlockSize || sums[poolrt.PieceCached]+sums[poolrt.PieceHole] > 0 {
			m.t.Fatalf("chunk %d of %d: %v", slot, s.size, sums)
		}
	}
}
