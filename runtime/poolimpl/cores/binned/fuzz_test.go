package binned

import (
	"math"
	"math/rand/v2"
	"testing"
)

// places are the chunks of the fuzz test: touching ones, one that is not aligned, ones with equal low address bits, one at
// the end of the address space and one at its start, and some too small for slabs.
var places = []struct{ base, size uint64 }{
	{1 << 40, 1 << 18},
	{1<<40 + 1<<18, 1 << 16},
	{1<<40 + 5<<16, 3<<16 + 8},
	{5<<41 + 1000, 1 << 17},
	{1<<40 + 1<<36, 1 << 18},
	{math.MaxUint64 - 1<<18 + 1, 1 << 18},
	{0, 1 << 17},
	{7 << 50, 4096},
	{9 << 50, 15},
	{11 << 50, 1 << 21},
}

// run plays the operations that the bytes stand for, and checks core and model after each. There may be more operations than every
// pool has; the last of them ends the run.
func run(t testing.TB, ops []byte, more ...func(*model, *rand.Rand)) {
	m := newModel(t)
	for len(ops) >= 3 {
		op, x, y := ops[0], uint64(ops[1]), uint64(ops[2])
		ops = ops[3:]
		r := rand.New(rand.NewPCG(x, y))
		slot := uint32(x) % uint32(len(places)) * 3
		switch op = op % byte(16+len(more)); op {
		case 0:
			if m.areas[slot] == nil {
				m.add(slot, places[slot/3].base, places[slot/3].size)
			}
		case 1:
			if a := m.areas[slot]; a != nil && a.live == 0 {
				m.remove(slot)
			}
		case 2: // near a bin
			m.alloc(bins[x%uint64(len(bins))]+y%3-1, 1)
		case 3: // many of a bin
			for range 1 + y%32 {
				m.alloc(bins[x%uint64(len(bins))]-y%min(16, bins[0]), 1)
			}
		case 4: // aligned
			m.alloc(1+(x<<8|y)>>(y%16), 1<<(x%15))
		case 5:
			m.alloc(top+x*y%top, 1<<(y%8))
		case 6:
			if y%8 == 0 {
				m.core.Flush()
			}
			m.alloc(x<<8|y, 1)
		case 7: // a burst of frees
			for n := y; n > 0 && len(m.live) > 0; n-- {
				m.free(r.IntN(len(m.live)))
			}
		case 8: // neighbours
			for n := y % 16; n > 0 && len(m.live) > 0; n-- {
				m.free(len(m.live) - 1)
			}
		case 9, 10, 11, 12, 13, 14, 15:
			if len(m.live) > 0 {
				k := r.IntN(len(m.live))
				m.misuse(m.live[k])
				m.free(k)
			}
			if len(m.old) > 0 {
				m.again(m.old[r.IntN(len(m.old))])
			}
		default:
			more[op-16](m, r)
		}
		m.check()
	}
	if len(more) > 0 {
		more[len(more)-1](m, nil)
	}
	m.drain(rand.New(rand.NewPCG(1, m.total)))
}

// script returns n operations of a seed.
func script(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 7))
	ops := []byte{0, 0, 0, 0, byte(seed), 0, 0, byte(seed / 7), 0}
	for range n {
		ops = append(ops, byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()))
	}
	return ops
}

func FuzzOps(f *testing.F) {
	for seed := range uint64(16) {
		f.Add(script(seed, 80))
	}
	f.Add([]byte{0, 3, 0, 3, 0, 32, 3, 8, 32, 7, 0, 255, 2, 0, 1, 1, 3, 0})
	f.Fuzz(func(t *testing.T, ops []byte) {
		if len(ops) > 1500 {
			ops = ops[:1500]
		}
		run(t, ops)
	})
}

// TestLongRuns plays longer scripts than a fuzz run has.
func TestLongRuns(t *testing.T) {
	for seed := range uint64(8) {
		run(t, script(100+seed, 400))
	}
}
