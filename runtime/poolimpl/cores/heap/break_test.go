package heap

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// shatter breaks a block into some that are live and some that are free.
func (m *model) shatter(r *rand.Rand) {
	if r == nil {
		return
	}
	b, ok := m.pick(r)
	if !ok {
		return
	}
	m.around(b)
	stride := granule * (1 + r.Uint64N(b.room/granule))
	live := make([]bool, 1+r.Uint64N(b.room/stride))
	for k := range live {
		live[k] = r.IntN(3) > 0
	}
	m.core.Break(b.addr, stride, uint64(len(live)), func(k uint64) bool { return live[k] })
	a := m.areas[b.slot]
	at := slices.Index(a.blocks, b)
	a.blocks = slices.Delete(a.blocks, at, at+1)
	m.live--
	m.bytes -= b.bytes
	for k, live := range live {
		if live {
			a.blocks = slices.Insert(a.blocks, at, block{addr: b.addr + uint64(k)*stride, bytes: stride, room: stride, slot: b.slot})
			at++
			m.live++
			m.bytes += stride
		}
	}
}

// around compares what is free beside a block.
func (m *model) around(b block) {
	var before, behind uint64
	for _, g := range m.areas[b.slot].gaps() {
		if g.addr+g.size == b.addr {
			before = g.size
		}
		if g.addr == b.addr+b.room {
			behind = g.size
		}
	}
	if x, y, z := m.core.Around(b.addr); x != before || y != b.room || z != behind {
		m.t.Fatalf("around %v: %d, %d, %d, want %d, %d, %d", b, x, y, z, before, b.room, behind)
	}
}

// The blocks and free ranges that Break makes are like any others.
func TestBreak(t *testing.T) {
	for seed := range uint64(24) {
		run(t, script(200+seed, 300), (*model).shatter)
	}
}
