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
			qs.check(func(holds bool, format string, args ...any) {
				if !holds {
					t.Fatalf(format, args...)
				}
			})
			s := Stream{ID: uint64(1 + r.IntN(4))}
			bytes := uint64(1+r.IntN(5)) * 100
			switch r.IntN(10) {
			default:
				next++
				q := qs.queue(s, driver{}, false)
				q.Defer(next, bytes)
				m[s] = append(m[s], pendingBlock{addr: next, bytes: bytes, epoch: q.epoch})
			case 3, 4, 5:
				addr, ok := qs.queue(s, driver{}, false).Reuse(bytes)
				wantAddr, want := m.reuse(s, bytes)
				if ok != want || addr != wantAddr {
					t.Fatalf("seed %d step %d: Reuse(%v, %d) = %d, %v, want %d, %v", seed, step, s, bytes, addr, ok, wantAddr, want)
				}
			case 6: // an epoch is sealed
				q := qs.queue(s, driver{}, false)
				if number, _, _ := q.beginSeal(); number != 0 {
					q.endSeal(number, 1)
				}
			case 7: // epochs end
				q := qs.queue(s, driver{}, false)
				if len(q.sealed) == 0 {
					continue
				}
				q.endEpochs(1 + r.IntN(len(q.sealed)))
				for addrs, bytes := q.takeRun(); len(addrs) > 0; addrs, bytes = q.takeRun() {
					for _, addr := range addrs {
						if len(m[s]) == 0 || addr != m[s][0].addr || bytes != m[s][0].bytes {
							t.Fatalf("seed %d step %d: takeRun of %v has %d of %d bytes, want the first of %v", seed, step, s, addr, bytes, m[s])
						}
						m[s] = m[s][1:]
					}
				}
				if len(m[s]) > 0 && m[s][0].epoch <= q.done {
					t.Fatalf("seed %d step %d: %v is left of an epoch that has ended", seed, step, m[s][0])
				}
			}
			if qs.count() != m.count() {
				t.Fatalf("seed %d step %d: %d pending, want %d", seed, step, qs.count(), m.count())
			}
		}
	}
}

// Metadata is reused: it does not grow while a stream frees and allocates, or while a program creates and destroys streams.
func TestStreamQueuesReuse(t *testing.T) {
	var qs streamQueues
	q := qs.queue(Stream{ID: 7}, driver{}, false)
	if n := testing.AllocsPerRun(1000, func() {
		q.Defer(1, 64)
		q.Defer(2, 64)
		q.Reuse(64)
		q.Reuse(64)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	for id := range uint64(2000) {
		q := qs.queue(Stream{ID: id}, driver{}, false)
		q.Defer(1, 64)
		q.Reuse(64)
		if id < 1000 {
			q.leave()
		}
		if id == 999 && len(qs.list) != 2 {
			t.Errorf("%d queues for one stream beside the first", len(qs.list))
		}
		qs.check(func(ok bool, format string, args ...any) {
			if !ok {
				t.Fatalf(format, args...)
			}
		})
	}
	if len(qs.list) > manyQueues || len(q.blocks) > 3 {
		t.Errorf("%d queues, and %d blocks in the first", len(qs.list), len(q.blocks))
	}
}

// The queues of streams that are used in turn stay theirs, although they are empty at times.
func TestStreamQueuesStay(t *testing.T) {
	var qs streamQueues
	for range 10 {
		for id := range uint64(100) {
			q := qs.queue(Stream{ID: id}, driver{}, false)
			q.Defer(1, 64)
			q.Reuse(64)
		}
	}
	made := qs.table.Load()
	for range 10 {
		for id := range uint64(100) {
			q := qs.queue(Stream{ID: id}, driver{}, false)
			q.Defer(1, 64)
			q.Reuse(64)
		}
	}
	if qs.table.Load() != made {
		t.Errorf("%d queues for 100 streams, and queues are made", len(qs.list))
	}
}

// The table of sizes has what a map has, whatever is removed in between.
func TestSizeTable(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 2))
		var table sizeTable
		m := map[uint64]int32{}
		for step := range 2000 {
			bytes, n := 1+r.Uint64N(1+seed*4), int32(1+r.IntN(1000))
			switch was, ok := m[bytes]; {
			case ok && r.IntN(3) == 0:
				table.remove(table.at(bytes))
				delete(m, bytes)
			default:
				c := table.claim(bytes)
				if c.number != was {
					t.Fatalf("seed %d step %d: the number is %d, not %d", seed, step, c.number, was)
				}
				c.number, m[bytes] = n, n
			}
			for bytes := range 2 + seed*4 {
				if bytes > 0 && table.at(bytes).number != m[bytes] {
					t.Fatalf("seed %d step %d: %d bytes have %d, not %d", seed, step, bytes, table.at(bytes).number, m[bytes])
				}
			}
		}
		if table.used != len(m) || len(table.cells) > max(8, 8*int(1+seed*4)) {
			t.Errorf("seed %d: %d sizes of %d, in %d cells", seed, table.used, len(m), len(table.cells))
		}
	}
}

func BenchmarkStreamQueueBatch(b *testing.B) {
	var q StreamQueue
	for b.Loop() {
		for i := range uint64(8) {
			q.Defer(i, 64)
		}
		for range 8 {
			q.Reuse(64)
		}
	}
}

func BenchmarkStreamQueuePair(b *testing.B) {
	var q StreamQueue
	q.Defer(1, 64)
	for b.Loop() {
		addr, _ := q.Reuse(64)
		q.Defer(addr, 64)
	}
}
