package bump

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/coretest"
)

// checkWalk compares what is shown of the chunks: what was handed out is one piece.
func (m *model) checkWalk() {
	m.t.Helper()
	for slot, s := range m.chunks {
		used := m.c.Used(slot)
		start := min(-s.base&(granule-1), s.size)
		blocks := map[uint64]coretest.Block{}
		if used > 0 {
			blocks[start] = coretest.Block{Asked: used}
		}
		sums := coretest.Walk(m.t, &m.c, slot, s.size, blocks)
		rest := (s.size-start)&^(granule-1) - used
		if used > 0 && slot != m.c.slot { // the current one is behind it
			rest = 0
		}
		if sums[poolrt.PieceFree] != rest {
			m.t.Fatalf("chunk %d: %v, %d used and %d left", slot, sums, used, rest)
		}
	}
}
