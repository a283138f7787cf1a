package fixed

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/coretest"
	"github.com/poolgen/poolgen/templates/feature"
)

// checkWalk compares what is shown of the chunks.
func (m *model) checkWalk() {
	m.t.Helper()
	if len(m.pending) > 0 && !feature.Streams {
		return // they cannot be told
	}
	blocks := map[uint32]map[uint64]coretest.Block{}
	for slot := range m.chunks {
		blocks[slot] = map[uint64]coretest.Block{}
	}
	for addr, slot := range m.live {
		blocks[slot][addr-m.chunks[slot].base] = coretest.Block{Asked: itemBytes}
	}
	for _, p := range m.pending {
		blocks[p.slot][p.addr-m.chunks[p.slot].base] = coretest.Block{Asked: itemBytes, Pending: true}
	}
	for slot, s := range m.chunks {
		sums := coretest.Walk(m.t, &m.c, slot, s.size, blocks[slot])
		if sums[poolrt.PieceWaste] != s.size%blockSize || sums[poolrt.PieceCached]+sums[poolrt.PieceHole] > 0 {
			m.t.Fatalf("chunk %d of %d: %v", slot, s.size, sums)
		}
	}
}
