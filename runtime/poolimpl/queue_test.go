package poolimpl

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// queuesModel is a simple model of streamQueues: each stream has its pending blocks in the order of their frees.
type queuesModel map[Stream][]pendingBlock

func (m queuesModel) reuse(s Stream, bytes uint64) (uint64, bool) {
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

func (m queuesModel) count() (n int) {
	for _, list := range m {
		n += len(list)
	}
	return n
}

// Reuse returns only blocks of its stream and size, the one deferred last first, whatever blocks were removed in between.
func TestStreamQueuesModel(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		var qs streamQueues
		m := queuesModel{}
		next := uint64(0)
		for step := range 500 {
			qs.check(func(_ bool, format string, args ...any) { t.Fatalf(format, args...) })
			s := Stream{ID: uint64(1 + r.IntN(4))}
			bytes := uint64(1+r.IntN(5)) * 100
			switch r.IntN(8) {
			default:
				next++
				qs.Defer(s, next, bytes)
				m[s] = append(m[s], pendingBlock{addr: next, bytes: bytes})
			case 3, 4, 5:
				addr, ok := qs.Reuse(s, bytes)
				wantAddr, want := m.reuse(s, bytes)
				if ok != want || addr != wantAddr {
					t.Fatalf("seed %d step %d: Reuse(%v, %d) = %d, %v, want %d, %v", seed, step, s, bytes, addr, ok, wantAddr, want)
				}
			case 6: // remove the oldest, as when its epoch has completed
				qs.flush()
				q := qs.queue(s)
				if q.oldest == 0 {
					continue
				}
				if got := qs.blocks[q.oldest].addr; got != m[s][0].addr {
					t.Fatalf("seed %d step %d: oldest of %v is %d, want %d", seed, step, s, got, m[s][0].addr)
				}
				qs.remove(q, q.oldest)
				m[s] = m[s][1:]
			}
			if qs.Count() != m.count() {
				t.Fatalf("seed %d step %d: %d pending, want %d", seed, step, qs.Count(), m.count())
			}
		}
	}
}

// Metadata is reused: it does not grow while a stream frees and allocates, or while a program creates
// and destroys streams.
func TestStreamQueuesReuse(t *testing.T) {
	var qs streamQueues
	if n := testing.AllocsPerRun(1000, func() {
		qs.Defer(Stream{ID: 7}, 1, 64)
		qs.Defer(Stream{ID: 7}, 2, 64)
		qs.Reuse(Stream{ID: 7}, 64)
		qs.Reuse(Stream{ID: 7}, 64)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	for id := range uint64(1000) {
		qs.Defer(Stream{ID: id}, 1, 64)
		qs.Reuse(Stream{ID: id}, 64)
	}
	if len(qs.list) != 1 || len(qs.blocks) > 3 {
		t.Errorf("%d queues and %d blocks for one stream at a time", len(qs.list), len(qs.blocks))
	}
}

func BenchmarkStreamQueuesBatch(b *testing.B) {
	var qs streamQueues
	s := Stream{ID: 3}
	for b.Loop() {
		for i := range uint64(8) {
			qs.Defer(s, i, 64)
		}
		for range 8 {
			qs.Reuse(s, 64)
		}
	}
}

func BenchmarkStreamQueuesPair(b *testing.B) {
	var qs streamQueues
	s := Stream{ID: 3}
	qs.Defer(s, 1, 64)
	for b.Loop() {
		addr, _ := qs.Reuse(s, 64)
		qs.Defer(s, addr, 64)
	}
}
