package gpu

import (
	"errors"
	"flag"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/gpu/pools"
)

var churns = flag.Int("gpu.churn", 1_000_000, "operations of TestChurn, all pools together; a quarter of them with -short")

// Pools of every kind run under load at the same time, with blocks of random sizes. From time to time all goroutines stop: live blocks must not
// overlap, and must match the counters of the pool.
func TestChurn(t *testing.T) {
	l := newLab(t, 0)
	t.Run("with streams", func(t *testing.T) { // first, as the driver keeps memory for streams
		churn(t, l, "classes", 4, &flowing[pools.ClassesFlowSpan]{calls: new(pools.ClassesFlowPool)})
		churn(t, l, "heap sharded", 4, &flowing[pools.HeapFlowSpan]{calls: new(pools.HeapFlowPool)})
	})
	before := l.free()
	t.Run("pools", func(t *testing.T) {
		churn(t, l, "fixed", 4, cells[pools.CellPtr]{new(pools.CellPool)})
		churn(t, l, "fixed alone", 1, cells[pools.CellAlonePtr]{new(pools.CellAlonePool)})
		churn(t, l, "heap", 4, new(pools.HeapPool))
		churn(t, l, "heap alone", 1, new(pools.HeapAlonePool))
		churn(t, l, "binned", 4, new(pools.BinnedPool))
		churn(t, l, "binned alone", 1, new(pools.BinnedAlonePool))
		churn(t, l, "classes", 4, new(pools.ClassesPool))
		churn(t, l, "classes alone", 1, new(pools.ClassesAlonePool))
		churn(t, l, "fixed sharded", 4, cells[pools.CellShardPtr]{new(pools.CellShardPool)})
		churn(t, l, "heap sharded", 4, new(pools.HeapShardPool))
	})
	if after := l.free(); after < before {
		t.Errorf("%d bytes free, %d before", after, before)
	}
}

// The load: number of pools, number of stops, most blocks of a goroutine, and largest block in bytes.
const (
	churned  = 12
	rounds   = 21
	handful  = 4096
	sizeable = 16 << 10
)

// churn puts a pool under load, while other calls do the same with other pools.
func churn[B block](t *testing.T, l *lab, name string, goroutines int, p pool[B]) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		l := *l
		l.TB = t
		hands := make([]*hand[B], goroutines)
		for i := range hands {
			hands[i] = &hand[B]{pool: handed(&l, p), r: rand.New(rand.NewPCG(uint64(i), 7)), live: make([]B, 0, handful)}
		}
		each := *churns / (churned * rounds * goroutines)
		if testing.Short() {
			each /= 4
		}
		var took time.Duration
		for round := range rounds {
			start := time.Now()
			together(&l, hands, func(h *hand[B]) error { return h.play(each, 5-uint64(round%3)) })
			took += time.Since(start)
			judge(&l, p, hands)
		}
		together(&l, hands, (*hand[B]).drop)
		judge(&l, p, hands)
		s := p.Stats()
		l.ok("close", p.Close())
		n := rounds * goroutines * each
		t.Logf("%d operations by %d goroutines, %.1f ns each; %d allocations, %d bytes reserved at most, %d times at the limit", n, goroutines,
			float64(took.Nanoseconds())/float64(max(n, 1)), s.Allocs, s.PeakReserved, s.Failures)
	})
}

// together calls f for all hands at the same time.
func together[B block](l *lab, hands []*hand[B], do func(*hand[B]) error) {
	l.Helper()
	var done sync.WaitGroup
	errs := make([]error, len(hands))
	for i, h := range hands {
		done.Go(func() { errs[i] = do(h) })
	}
	done.Wait()
	l.ok("churn", errors.Join(errs...))
}

// judge checks that the blocks of the hands do not overlap, and that the pool's figures match them.
func judge[B block](l *lab, p pool[B], hands []*hand[B]) {
	l.Helper()
	var all []B
	var bytes int64
	for _, h := range hands {
		all = append(all, h.live...)
	}
	for _, b := range all {
		bytes += b.Bytes()
	}
	apart(l, all)
	if s := p.Stats(); s.Live != int64(len(all)) || s.LiveBytes != bytes {
		l.Errorf("%d blocks of %d bytes are live, the figures are %+v", len(all), bytes, s)
	}
}

// hand is a goroutine with its blocks.
type hand[B block] struct {
	pool pool[B]
	r    *rand.Rand
	live []B
}

// play allocates, weight times of eight, or frees a block at random.
func (h *hand[B]) play(operations int, weight uint64) error {
	for range operations {
		x := h.r.Uint64()
		if x%8 < weight && len(h.live) < handful || len(h.live) == 0 {
			b, err := h.pool.Alloc(8 + int(x>>8)%sizeable&^7)
			switch {
			case err == nil:
				h.live = append(h.live, b)
			case !errors.Is(err, poolrt.ErrLimit):
				return err
			}
			continue
		}
		if err := h.free(int(x>>8) % len(h.live)); err != nil {
			return err
		}
	}
	return nil
}

// free frees a block and puts the last in its place.
func (h *hand[B]) free(i int) error {
	b := h.live[i]
	last := len(h.live) - 1
	h.live[i] = h.live[last]
	h.live = h.live[:last]
	return h.pool.Free(b)
}

// drop frees all blocks.
func (h *hand[B]) drop() error {
	for len(h.live) > 0 {
		if err := h.free(0); err != nil {
			return err
		}
	}
	return nil
}

// handed returns the pool for one more goroutine: one whose blocks are ordered with a stream gets a stream.
func handed[B block](l *lab, p pool[B]) pool[B] {
	if f, ok := p.(*flowing[B]); ok {
		return &flowing[B]{f.calls, l.streams(1)[0]}
	}
	return p
}

// flowing presents a pool whose blocks are allocated and freed on a stream as one without streams.
type flowing[B block] struct {
	calls[B]
	on cuda.Stream
}

type calls[B block] interface {
	AllocOn(bytes int, s cuda.Stream) (B, error)
	FreeOn(B, cuda.Stream) error
	whole
}

func (f *flowing[B]) Alloc(bytes int) (B, error) { return f.AllocOn(bytes, f.on) }
func (f *flowing[B]) Free(b B) error             { return f.FreeOn(b, f.on) }

// cells presents a pool of single items as a pool of bytes.
type cells[P located] struct{ items[P] }

type located interface{ Addr() cuda.DevicePtr }

type items[P any] interface {
	Alloc() (P, error)
	Free(P) error
	whole
}

func (c cells[P]) Alloc(int) (cell[P], error) {
	p, err := c.items.Alloc()
	return cell[P]{p}, err
}

func (c cells[P]) Free(b cell[P]) error { return c.items.Free(b.at) }

// cell is one item.
type cell[P located] struct{ at P }

func (c cell[P]) Addr() cuda.DevicePtr { return c.at.Addr() }
func (c cell[P]) Bytes() int64         { return 256 }
