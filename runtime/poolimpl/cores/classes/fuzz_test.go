package classes

import (
	"math/rand/v2"
	"testing"
)

// places are the chunks of the fuzz test, some of them neighbours.
func places() []area {
	return []area{
		{1 << 40, 64 * unit},
		{1<<40 + 64*unit, 40 * unit},
		{1<<40 + 104*unit, 100 * unit},
		{1 << 52, 7 * unit},
		{3 << 52, 33 * unit},
	}
}

// run plays the operations that the bytes stand for, and checks heap and model after each. There may be more operations than every
// pool has; the last of them ends the run.
func run(t testing.TB, ops []byte, more ...func(*model, uint64)) {
	m := newModel(t)
	for len(ops) >= 3 {
		op, x, y := ops[0], uint64(ops[1]), uint64(ops[2])
		ops = ops[3:]
		slot := uint32(x % uint64(len(places())))
		_, there := m.areas[slot*2]
		switch op = op % byte(16+len(more)); op {
		case 0:
			if !there {
				m.add(slot*2, places()[slot])
			}
		case 1:
			if there && m.removable(slot*2) {
				m.remove(slot * 2)
			}
		case 2:
			if x%4 == 0 {
				m.flush()
			}
		case 3:
			m.alloc(x*unit/16, 1<<(y%20))
		case 4, 5, 6, 7, 8:
			m.alloc(unit<<(y%4)-x%(unit/2+1), 1)
		case 9, 10, 11, 12, 13, 14, 15:
			if len(m.live) > 0 {
				m.free(int(x*256+y) % len(m.live))
			}
			if len(m.dead) > 0 {
				m.again(int(y*256+x) % len(m.dead))
			}
		default:
			more[op-16](m, x*256+y)
		}
		m.check()
	}
	if len(more) > 0 {
		more[len(more)-1](m, 0)
	}
	m.drain(rand.New(rand.NewPCG(1, 2)))
}

// script returns n operations of a seed.
func script(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 9))
	ops := []byte{0, 0, 0, 0, byte(seed), 0}
	for range n {
		ops = append(ops, byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()))
	}
	return ops
}

func FuzzOps(f *testing.F) {
	for seed := range uint64(24) {
		f.Add(script(seed, 150))
	}
	f.Fuzz(func(t *testing.T, ops []byte) {
		if len(ops) > 3000 {
			ops = ops[:3000]
		}
		run(t, ops)
	})
}

// TestLongRuns plays longer scripts than a fuzz run has.
func TestLongRuns(t *testing.T) {
	for seed := range uint64(10) {
		run(t, script(100+seed, 800))
	}
}
