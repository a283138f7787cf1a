package poolimpl_test

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
	"github.com/poolgen/poolgen/tests/fatal"
)

// heapPool is a locked pool of blocks of any size, as a generated shell makes it.
type heapPool struct {
	poolimpl.Engine
	core heap.Core
	live []poolimpl.Block
	size []uint64
}

var heapConfig = poolimpl.Config{
	Name: "test.Heap", Allocator: "host", Suballocator: "heap", Source: poolimpl.Host(), Core: ranges, Locked: true, ChunkSize: 8 << 20, Granularity: 4096, Alignment: 16,
	Limit: poolrt.NoLimit, Oversize: true, Ladder: []poolimpl.Rung{poolimpl.ErrorRung{}},
}

func newHeapPool(t testing.TB) *heapPool {
	p := new(heapPool)
	p.Init(&heapConfig, &p.core)
	t.Cleanup(func() {
		if err := p.CloseForce(p.core.Close); err != nil {
			t.Error(err)
		}
	})
	return p
}

func (p *heapPool) take(t testing.TB, bytes uint64) {
	b, err := p.Alloc(1, bytes, 1)
	fatal.If(t, err)
	p.live, p.size = append(p.live, b), append(p.size, bytes)
}

// drop frees a block.
func (p *heapPool) drop(t testing.TB, i int) {
	last := len(p.live) - 1
	b, bytes := p.live[i], p.size[i]
	p.live[i], p.size[i] = p.live[last], p.size[last]
	p.live, p.size = p.live[:last], p.size[:last]
	p.Lock()
	_, v := p.core.Free(b.Addr, bytes)
	p.Unlock()
	if v > poolimpl.Emptied {
		t.Fatalf("free: %d", v)
	}
}

// fill allocates this many blocks, with free ranges between them.
func (p *heapPool) fill(t testing.TB, live int) {
	r := rand.New(rand.NewPCG(1, 2))
	for range live * 3 / 2 {
		p.take(t, 1+r.Uint64N(1<<(5+r.IntN(6))))
	}
	for len(p.live) > live {
		p.drop(t, r.IntN(len(p.live)))
	}
}

// A snapshot of many blocks has each block once, and its figures add up.
func TestSnapshotOfManyBlocks(t *testing.T) {
	p := newHeapPool(t)
	p.fill(t, 20_000)
	got := p.Snapshot().Pools[0]
	asked := map[uint64]uint64{}
	for i, b := range p.live {
		asked[b.Addr] = p.size[i]
	}
	free, all, largest := int64(0), uint64(0), uint64(0)
	for _, c := range got.Chunks {
		at := uint64(0)
		for _, piece := range c.Pieces {
			if piece.Off != at {
				t.Fatalf("%+v at %d", piece, at)
			}
			at += piece.Size
			switch piece.State {
			case poolrt.PieceFree:
				free += int64(piece.Size)
				largest = max(largest, piece.Size)
			case poolrt.PieceLive:
				if n, known := asked[c.Addr+piece.Off]; !known || n != piece.Asked {
					t.Fatalf("%+v, known %v with %d", piece, known, n)
				}
				delete(asked, c.Addr+piece.Off)
			default:
				t.Fatalf("%+v", piece)
			}
		}
		all += at
	}
	if len(asked) > 0 || free != got.Free || int64(all) != got.Stats.Reserved || got.Fragmentation != 1-float64(largest)/float64(free) || got.Fragmentation <= 0 {
		t.Errorf("%d blocks left out; free %d, %+v", len(asked), free, got.Stats)
	}
}

// Snapshots taken while others allocate and free have all blocks that are live throughout.
func TestSnapshotWhileOthersWork(t *testing.T) {
	p := newHeapPool(t)
	p.fill(t, 3000)
	var all sync.WaitGroup
	done := make(chan struct{})
	for id := range 2 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(id), 3))
			for range 3000 {
				bytes := 1 + r.Uint64N(3000)
				b, err := p.Alloc(1, bytes, 1)
				if err != nil {
					t.Error(err)
					return
				}
				p.Lock()
				_, v := p.core.Free(b.Addr, bytes)
				p.Unlock()
				if v > poolimpl.Emptied {
					t.Errorf("free: %d", v)
				}
			}
		})
	}
	go func() { all.Wait(); close(done) }()
	for more := true; more; {
		select {
		case <-done:
			more = false
		default:
		}
		have := map[uint64]uint64{}
		for _, c := range p.Snapshot().Pools[0].Chunks {
			at := uint64(0)
			for _, piece := range c.Pieces {
				if piece.Off != at || piece.Size == 0 {
					t.Fatalf("%+v at %d", piece, at)
				}
				at += piece.Size
				if piece.State == poolrt.PieceLive {
					have[c.Addr+piece.Off] = piece.Asked
				}
			}
			if at != c.Size {
				t.Fatalf("%d of %d", at, c.Size)
			}
		}
		for i, b := range p.live {
			if have[b.Addr] != p.size[i] {
				t.Fatalf("%#x of %d bytes is shown with %d", b.Addr, p.size[i], have[b.Addr])
			}
		}
	}
}

// BenchmarkSnapshot takes snapshots of 100,000 live blocks. held-µs is the longest time that a snapshot locks the pool, in the round of 50 that was
// interrupted least.
func BenchmarkSnapshot(b *testing.B) {
	p := newHeapPool(b)
	p.fill(b, 100_000)
	b.ReportAllocs()
	for b.Loop() {
		p.Snapshot()
	}
	b.StopTimer()
	held := time.Hour
	for range 50 {
		held = min(held, p.HeldLongest())
	}
	b.ReportMetric(float64(held.Nanoseconds())/1e3, "held-µs")
}
