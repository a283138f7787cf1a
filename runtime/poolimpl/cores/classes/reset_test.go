package classes

import "testing"

// reset frees all blocks of the model at once. None may be pending.
func (m *model) reset(uint64) {
	m.t.Helper()
	m.core.Reset()
	m.dead = append(m.dead, m.live...)
	m.live = nil
	clear(m.kept)
	for j := range m.dead {
		m.again(j)
	}
}

// A core that is reset again and again works as one that is not.
func TestLongRunsReset(t *testing.T) {
	for seed := range uint64(10) {
		run(t, script(400+seed, 800), (*model).reset)
	}
}

// After Reset nothing is kept, and each chunk is one range.
func TestReset(t *testing.T) {
	m := newModel(t)
	m.core.Reset() // there is no chunk
	m.add(0, area{1 << 40, 64 * unit})
	for range 3 {
		for k := range uint64(20) {
			m.alloc(unit+k, 1)
		}
		for range 5 {
			m.free(0)
		}
		m.reset(0)
		m.check()
		if u := m.core.Usage(); u.Cached != 0 || u.Occupied != 0 {
			t.Errorf("%+v", u)
		}
		if _, ok := m.alloc(64*unit, 1); !ok {
			t.Error("the chunk is not one range")
		}
		m.reset(0)
	}
}
