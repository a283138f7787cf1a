package binned

import (
	"math/rand/v2"
	"testing"
)

// reset frees all blocks of the model at once. None may be pending.
func (m *model) reset(*rand.Rand) {
	m.t.Helper()
	m.core.Reset()
	m.old = append(m.old, m.live...)
	m.live, m.bytes = nil, 0
	for _, a := range m.areas {
		a.live = 0
	}
	if u := m.core.Usage(); u.Cached != 0 {
		m.t.Fatalf("after Reset: %+v", u)
	}
	m.whole()
	for _, b := range m.old {
		m.again(b)
	}
}

// A core that is reset again and again works as one that is not.
func TestLongRunsReset(t *testing.T) {
	for seed := range uint64(8) {
		run(t, script(400+seed, 400), (*model).reset)
	}
}

// After Reset no bin has a slab, and the metadata does not grow with the number of resets.
func TestReset(t *testing.T) {
	m := newModel(t)
	m.core.Reset() // there is no chunk
	m.add(0, 1<<40, 1<<20)
	var lines, buckets int
	for turn := range 5 {
		for k := range uint64(2000) {
			m.alloc(1+k%(2*bins[len(bins)-1]), 1)
		}
		m.check()
		if turn > 0 && (cap(m.core.lines) != lines || len(m.core.index.bucket) != buckets) {
			t.Errorf("turn %d: room for %d lines, %d buckets, before %d, %d", turn, cap(m.core.lines), len(m.core.index.bucket), lines, buckets)
		}
		lines, buckets = cap(m.core.lines), len(m.core.index.bucket)
		m.reset(nil)
		m.check()
	}
}
