package runtime

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// lanesModel is what Lanes promises, the simple way: each stream has its parked blocks in the order in which they came.
type lanesModel map[Stream][]parkedBlock

func (m lanesModel) unpark(s Stream, bytes uint64) (uint64, bool) {
	list := m[s]
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].bytes == bytes {
			addr := list[i].addr
			m[s] = slices.Delete(list, i, i+1)
			return addr, true
		}
	}
	return 0, false
}

func (m lanesModel) count() (n int) {
	for _, list := range m {
		n += len(list)
	}
	return n
}

// A block comes back on its own stream and at its own size only, the one parked last first, whatever was taken out of the middle.
func TestLanesModel(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		var l Lanes
		m := lanesModel{}
		next := uint64(0)
		for step := range 500 {
			s := Stream{ID: uint64(1 + r.IntN(4))}
			bytes := uint64(1+r.IntN(5)) * 100
			switch r.IntN(8) {
			default:
				next++
				l.Park(s, next, bytes)
				m[s] = append(m[s], parkedBlock{addr: next, bytes: bytes})
			case 3, 4, 5:
				addr, ok := l.Unpark(s, bytes)
				wantAddr, want := m.unpark(s, bytes)
				if ok != want || addr != wantAddr {
					t.Fatalf("seed %d step %d: Unpark(%v, %d) = %d, %v, want %d, %v", seed, step, s, bytes, addr, ok, wantAddr, want)
				}
			case 6: // the oldest goes, as when its epoch has completed
				l.settle()
				n := l.lane(s)
				if n.oldest == 0 {
					continue
				}
				if got := l.blocks[n.oldest].addr; got != m[s][0].addr {
					t.Fatalf("seed %d step %d: oldest of %v is %d, want %d", seed, step, s, got, m[s][0].addr)
				}
				l.remove(n, n.oldest)
				m[s] = m[s][1:]
			}
			if l.Count() != m.count() {
				t.Fatalf("seed %d step %d: %d parked, want %d", seed, step, l.Count(), m.count())
			}
		}
	}
}

// Metadata is used again: a stream that frees and takes needs no more of it however long it does so, nor does a program that makes
// and forgets streams.
func TestLanesReuse(t *testing.T) {
	var l Lanes
	if n := testing.AllocsPerRun(1000, func() {
		l.Park(Stream{ID: 7}, 1, 64)
		l.Park(Stream{ID: 7}, 2, 64)
		l.Unpark(Stream{ID: 7}, 64)
		l.Unpark(Stream{ID: 7}, 64)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	for id := range uint64(1000) {
		l.Park(Stream{ID: id}, 1, 64)
		l.Unpark(Stream{ID: id}, 64)
	}
	if len(l.lanes) != 1 || len(l.blocks) > 3 {
		t.Errorf("%d lanes and %d blocks for one stream at a time", len(l.lanes), len(l.blocks))
	}
}

func BenchmarkLanesBatch(b *testing.B) {
	var l Lanes
	s := Stream{ID: 3}
	for b.Loop() {
		for i := range uint64(8) {
			l.Park(s, i, 64)
		}
		for range 8 {
			l.Unpark(s, 64)
		}
	}
}

func BenchmarkLanesPair(b *testing.B) {
	var l Lanes
	s := Stream{ID: 3}
	l.Park(s, 1, 64)
	for b.Loop() {
		addr, _ := l.Unpark(s, 64)
		l.Park(s, addr, 64)
	}
}
