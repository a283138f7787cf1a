package heap

import (
	"math"
	"math/rand/v2"
	"testing"
)

// places are the chunks of the fuzz test: touching ones, one that is not aligned, ones with equal low address bits,
// one at the very end of the address space and one at its start.
func places() []struct{ base, size uint64 } {
	return []struct{ base, size uint64 }{
		{1 << 40, 256 * granule},
		{1<<40 + 256*granule, 64 * granule},
		{1<<40 + 320*granule, 320*granule + granule/2},
		{5<<41 + granule/2, 100 * granule},
		{1<<40 + 1<<32*granule, 256 * granule},
		{1<<38 + 1<<32*granule, 31 * granule},
		{math.MaxUint64 - 128*granule + 1, 128 * granule},
		{0, 33 * granule},
		{7 << 50, granule - 1},
	}
}

// run plays the operations that the bytes stand for, and checks heap and model after each. There may be more operations than every
// pool has; the last of them ends the run.
func run(t testing.TB, ops []byte, more ...func(*model, *rand.Rand)) {
	m := newModel(t)
	for len(ops) >= 3 {
		op, x, y := ops[0], uint64(ops[1]), uint64(ops[2])
		ops = ops[3:]
		r := rand.New(rand.NewPCG(x, y))
		slot := uint32(x % uint64(len(places())))
		switch op = op % byte(8+len(more)); op {
		case 0:
			if p := places()[slot]; m.areas[slot*3] == nil {
				m.add(slot*3, p.base, p.size)
			}
		case 1:
			if a := m.areas[slot*3]; a != nil && len(a.blocks) == 0 {
				m.remove(slot * 3)
			}
		case 2, 3:
			m.alloc(x*granule/8, 1)
		case 4:
			m.alloc(1+x*granule>>(y%8), granule<<(y/8%10))
		case 5, 6, 7:
			if b, ok := m.pick(r); ok {
				m.misuse(b)
				m.free(b)
			}
			if len(m.old) > 0 {
				m.again(m.old[r.IntN(len(m.old))])
			}
		default:
			more[op-8](m, r)
		}
		m.check()
	}
	if len(more) > 0 {
		more[len(more)-1](m, nil)
	}
	m.drain(rand.New(rand.NewPCG(1, uint64(len(m.old)))))
}

// drain frees all blocks; each chunk must be one range again, and go.
func (m *model) drain(r *rand.Rand) {
	for b, ok := m.pick(r); ok; b, ok = m.pick(r) {
		m.free(b)
	}
	m.check()
	for _, slot := range m.slots() {
		if gaps := m.areas[slot].gaps(); len(gaps) == 1 {
			if b, ok := m.alloc(gaps[0].size, 1); !ok {
				m.t.Fatalf("no room for %v after all frees", gaps[0])
			} else {
				m.free(b)
			}
		}
		m.remove(slot)
		m.check()
	}
}

// script returns n operations of a seed.
func script(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 7))
	ops := []byte{0, 0, 0, 0, byte(seed), 0, 0, byte(seed / 9), 0}
	for range n {
		ops = append(ops, byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()))
	}
	return ops
}

func FuzzOps(f *testing.F) {
	for seed := range uint64(24) {
		f.Add(script(seed, 120))
	}
	f.Add([]byte{0, 0, 0, 2, 255, 0, 2, 1, 0, 5, 0, 0, 4, 8, 70, 5, 0, 0, 1, 0, 0})
	f.Fuzz(func(t *testing.T, ops []byte) {
		if len(ops) > 3000 {
			ops = ops[:3000]
		}
		run(t, ops)
	})
}

// TestLongRuns plays longer scripts than a fuzz run has.
func TestLongRuns(t *testing.T) {
	for seed := range uint64(12) {
		run(t, script(100+seed, 600))
	}
}
