package direct

import (
	"github.com/poolgen/poolgen/runtime/coretest"
)

// checkWalk compares what is shown of the chunks.
func (m *model) checkWalk() {
	m.t.Helper()
	for slot, r := range m.chunks {
		blocks := map[uint64]coretest.Block{}
		if r.bytes != 0 {
			blocks[0] = coretest.Block{Asked: r.bytes, Pending: r.pending}
		}
		coretest.Walk(m.t, &m.c, slot, r.size, blocks)
	}
}
