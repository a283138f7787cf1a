package sharded

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/sharded/pools"
)

// itemPool is what the tests ask of a pool of blocks of one size.
type itemPool[R any] interface {
	Alloc() (R, error)
	TryAlloc() (R, bool)
	AllocContext(context.Context) (R, error)
	AllocBatch([]R) (int, error)
	With(func(R) error) error
	Free(R) error
	FreeBatch([]R) error
	Stats() poolrt.Stats
	Trim(keep int64) (int64, error)
	SetLimit(int64) error
	Close() error
	CloseForce() error
}

// itemTest makes a pool, and tells how to use its blocks.
type itemTest[R comparable] struct {
	make      func(*testing.T) itemPool[R]
	blocks    int // that it can have at most
	uncounted bool
	kept      int // of these, that processors may keep at hand, each
	write     func(r R, mark byte)
	read      func(r R) byte
	place     func(r R) uint64
}

// memory is a test of a pool of memory.
func memory[T any](make func() itemPool[*T], blocks int) itemTest[*T] {
	last := unsafe.Sizeof(*new(T)) - 1
	at := func(r *T, i uintptr) *byte { return (*byte)(unsafe.Add(unsafe.Pointer(r), i)) }
	return itemTest[*T]{
		make: func(*testing.T) itemPool[*T] { return make() }, blocks: blocks,
		write: func(r *T, mark byte) { *at(r, 0), *at(r, last) = mark, mark },
		read: func(r *T) byte {
			if a, b := *at(r, 0), *at(r, last); a == b {
				return a
			}
			return 0
		},
		place: func(r *T) uint64 { return uint64(uintptr(unsafe.Pointer(r))) },
	}
}

// numbers is a test of a pool of numbers, whose owners stand in a table.
func numbers[ID ~uint64](make func() numbered[ID]) itemTest[ID] {
	var marks [10000]atomic.Int32
	return itemTest[ID]{
		make: func(t *testing.T) itemPool[ID] {
			p := make()
			for i := range uint64(4) {
				check(t, "track", p.Track(100+i*2500, 2500))
			}
			return p
		}, blocks: 10000,
		write: func(r ID, mark byte) { marks[r-100].Store(int32(mark)) },
		read:  func(r ID) byte { return byte(marks[r-100].Load()) },
		place: func(r ID) uint64 { return uint64(r) },
	}
}

type numbered[ID any] interface {
	itemPool[ID]
	Track(first, n uint64) error
}

// eachItem runs a test on each pool. It is passed once for each type of block.
func eachItem(t *testing.T, cell func(*testing.T, itemTest[*[8]uint64]), drained func(*testing.T, itemTest[*[100]byte]), row func(*testing.T, itemTest[*[4]uint32]),
	plain func(*testing.T, itemTest[*uint64]), ticket func(*testing.T, itemTest[pools.TicketID]), keptTicket func(*testing.T, itemTest[pools.KeptTicketID])) {
	t.Run("cell", func(t *testing.T) {
		cell(t, memory(func() itemPool[*[8]uint64] { return new(pools.CellPool) }, 16384))
	})
	t.Run("drained", func(t *testing.T) {
		drained(t, memory(func() itemPool[*[100]byte] { return new(pools.DrainedPool) }, 16*655))
	})
	t.Run("row", func(t *testing.T) { row(t, memory(func() itemPool[*[4]uint32] { return new(pools.RowPool) }, 4096)) })
	t.Run("plain", func(t *testing.T) {
		test := memory(func() itemPool[*uint64] { return new(pools.PlainPool) }, 1<<17)
		test.uncounted = true
		plain(t, test)
	})
	t.Run("ticket", func(t *testing.T) {
		ticket(t, numbers(func() numbered[pools.TicketID] { return new(pools.TicketPool) }))
	})
	t.Run("kept", func(t *testing.T) {
		test := memory(func() itemPool[*[8]uint64] { return new(pools.KeptPool) }, 16384)
		test.kept = 32
		cell(t, test)
	})
	t.Run("keptRow", func(t *testing.T) {
		test := memory(func() itemPool[*[4]uint32] { return new(pools.KeptRowPool) }, 256)
		test.uncounted, test.kept = true, 5
		row(t, test)
	})
	t.Run("keptTicket", func(t *testing.T) {
		test := numbers(func() numbered[pools.KeptTicketID] { return new(pools.KeptTicketPool) })
		test.kept = 10
		keptTicket(t, test)
	})
}

// Goroutines allocate, write, hand on, verify and free, alone and in batches, while others trim and count: each finds its own in its blocks.
func TestFixedOwners(t *testing.T) {
	eachItem(t, fixedOwners, fixedOwners, fixedOwners, fixedOwners, fixedOwners, fixedOwners)
}

func fixedOwners[R comparable](t *testing.T, test itemTest[R]) {
	p := test.make(t)
	handed := make(chan R, 64)
	var workers sync.WaitGroup
	for id := range byte(8) {
		workers.Go(func() {
			w := worker[R]{t: t, p: p, test: test, r: rand.New(rand.NewPCG(uint64(id), 1)), handed: handed, most: test.blocks / 7}
			w.work(3000)
		})
	}
	workers.Wait()
	close(handed)
	for b := range handed {
		check(t, "free", p.Free(b))
	}
	s := p.Stats()
	if s.Live != 0 || s.LiveBytes != 0 || s.Allocs != s.Frees || !test.uncounted && (s.Allocs == 0 || s.PeakBytes == 0) {
		t.Errorf("%+v", s)
	}
	if most := runtime.GOMAXPROCS(0) * test.kept; s.Cached > int64(most)*s.Limit/int64(test.blocks) {
		t.Errorf("%+v, at most %d blocks are kept", s, most)
	}
	t.Logf("%+v", s)
	check(t, "close", p.Close())
}

// worker is one goroutine among several.
type worker[R comparable] struct {
	t      *testing.T
	p      itemPool[R]
	test   itemTest[R]
	r      *rand.Rand
	held   []R
	handed chan R
	most   int // blocks held at a time
}

func (w *worker[R]) keep(b R, err error) {
	if err != nil {
		if !errors.Is(err, poolrt.ErrLimit) {
			w.t.Error(err)
		}
		return
	}
	w.test.write(b, 7)
	w.held = append(w.held, b)
}

// drop verifies blocks and frees them.
func (w *worker[R]) drop(refs ...R) {
	for _, b := range refs {
		if got := w.test.read(b); got != 7 {
			w.t.Errorf("%v says %d", b, got)
		}
		w.test.write(b, 0)
	}
	if len(refs) == 1 {
		if err := w.p.Free(refs[0]); err != nil {
			w.t.Error(err)
		}
	} else if err := w.p.FreeBatch(refs); err != nil {
		w.t.Error(err)
	}
}

func (w *worker[R]) work(steps int) {
	for range steps {
		switch k := w.r.IntN(12); {
		case k < 4:
			w.keep(w.p.Alloc())
		case k < 5:
			batch := make([]R, w.r.IntN(150))
			if n, err := w.p.AllocBatch(batch); err == nil {
				for _, b := range batch[:n] {
					w.keep(b, nil)
				}
			} else if !errors.Is(err, poolrt.ErrLimit) {
				w.t.Error(err)
			}
		case k < 8 && len(w.held) > 0:
			w.drop(w.held[0])
			w.held = w.held[1:]
		case k < 9 && len(w.held) > 0:
			select {
			case w.handed <- w.held[0]:
				w.held = w.held[1:]
			default:
			}
		case k < 10:
			select {
			case b := <-w.handed:
				w.drop(b)
			default:
			}
		case k < 11:
			if err := w.p.With(func(b R) error { w.test.write(b, 7); w.test.write(b, 0); return nil }); err != nil && !errors.Is(err, poolrt.ErrLimit) {
				w.t.Error(err)
			}
		default:
			if w.r.IntN(20) == 0 {
				if _, err := w.p.Trim(0); err != nil {
					w.t.Error(err)
				}
			}
			if s := w.p.Stats(); s.Live < 0 || s.Live > int64(w.test.blocks) || s.Frees < 0 && !w.test.uncounted {
				w.t.Errorf("%+v", s)
			}
		}
		if len(w.held) > w.most {
			w.drop(w.held[w.most/2:]...)
			w.held = w.held[:w.most/2]
		}
	}
	w.drop(w.held...)
}

// All blocks of a pool can be had from any goroutine, whoever had them before, and no more.
func TestFixedStrict(t *testing.T) {
	eachItem(t, fixedStrict, fixedStrict, fixedStrict, fixedStrict, fixedStrict, fixedStrict)
}

func fixedStrict[R comparable](t *testing.T, test itemTest[R]) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	p := test.make(t)
	for round := range 5 {
		all := fillTogether(t, p, round%2 == 0)
		if len(all) != test.blocks*int(p.Stats().Reserved)/int(p.Stats().Limit) || p.Stats().Live != int64(len(all)) {
			t.Errorf("%d blocks of %d: %+v", len(all), test.blocks, p.Stats())
		}
		if b, ok := p.TryAlloc(); ok {
			t.Errorf("%v from a full pool", b)
		}
		var frees sync.WaitGroup
		for k := range 4 {
			frees.Go(func() {
				for i := k; i < len(all); i += 4 {
					if err := p.Free(all[i]); err != nil {
						t.Error(err)
					}
				}
			})
		}
		frees.Wait()
		runtime.GOMAXPROCS(1 + rand.IntN(4))
	}
	check(t, "close", p.Close())
}

// fillTogether has several goroutines take all there is.
func fillTogether[R comparable](t *testing.T, p itemPool[R], batches bool) (all []R) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range 4 {
		wg.Go(func() {
			var mine []R
			batch := make([]R, 64)
			for batches {
				if _, err := p.AllocBatch(batch); err != nil {
					break
				}
				mine = append(mine, batch...)
			}
			for {
				b, err := p.Alloc()
				if err != nil {
					if !errors.Is(err, poolrt.ErrLimit) {
						t.Error(err)
					}
					break
				}
				mine = append(mine, b)
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, mine...)
		})
	}
	wg.Wait()
	return all
}

// Of several frees of one block at the same time, one succeeds, whatever batch it is in.
func TestFixedSimultaneousFrees(t *testing.T) {
	eachItem(t, fixedFrees, fixedFrees, fixedFrees, fixedFrees, fixedFrees, fixedFrees)
}

func fixedFrees[R comparable](t *testing.T, test itemTest[R]) {
	p := test.make(t)
	for range 300 {
		batch := make([]R, 8)
		_, err := p.AllocBatch(batch)
		check(t, "alloc", err)
		var freed, refused atomic.Int64
		var wg sync.WaitGroup
		for k := range 3 {
			wg.Go(func() {
				for i := range batch {
					var err error
					if k == 0 {
						err = p.FreeBatch(batch[i : i+1])
					} else {
						err = p.Free(batch[i])
					}
					switch {
					case err == nil:
						freed.Add(1)
					case errors.Is(err, poolrt.ErrInvalidFree):
						refused.Add(1)
					default:
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if freed.Load() != 8 || refused.Load() != 16 {
			t.Fatalf("%d frees succeeded, %d were refused", freed.Load(), refused.Load())
		}
	}
	check(t, "close", p.Close())
}

// Close refuses while a block is live, and what comes after it gets ErrClosed. A forced one does not care.
func TestFixedCloseAmongOthers(t *testing.T) {
	eachItem(t, fixedClose, fixedClose, fixedClose, fixedClose, fixedClose, fixedClose)
}

func fixedClose[R comparable](t *testing.T, test itemTest[R]) {
	for round := range 30 {
		p := test.make(t)
		var wg sync.WaitGroup
		var enough atomic.Bool // on many processors there is always a block live
		for range 4 {
			wg.Go(func() {
				for !enough.Load() {
					b, err := p.Alloc()
					if errors.Is(err, poolrt.ErrClosed) {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
					if round%3 > 0 {
						test.write(b, 1)
					}
					if err := p.Free(b); err != nil && (round%3 > 0 || !errors.Is(err, poolrt.ErrClosed)) {
						t.Error(err)
					}
				}
			})
		}
		for tries := 0; round%3 > 0; tries++ {
			enough.Store(tries > 10)
			err := p.Close()
			if err == nil {
				break
			}
			if !errors.Is(err, poolrt.ErrLive) {
				t.Error(err)
			}
			runtime.Gosched()
		}
		if round%3 == 0 {
			check(t, "close", p.CloseForce())
		}
		wg.Wait()
		if _, err := p.Alloc(); !errors.Is(err, poolrt.ErrClosed) {
			t.Errorf("alloc after close: %v", err)
		}
		if s := p.Stats(); s.Reserved != 0 || round%3 > 0 && s.Live != 0 {
			t.Errorf("%+v", s)
		}
	}
}

// Who waits for a block gets one that is freed, and all get theirs.
func TestFixedWaiting(t *testing.T) {
	t.Run("few", func(t *testing.T) { fixedWaiting(t, new(pools.FewPool)) })
	t.Run("kept", func(t *testing.T) { fixedWaiting(t, new(pools.KeptFewPool)) })
}

func fixedWaiting(t *testing.T, p itemPool[*[8192]byte]) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	for id := range 16 {
		wg.Go(func() {
			for range 300 {
				b, err := p.AllocContext(ctx)
				if id%2 == 0 && err == nil {
					report(t, "free", p.Free(b))
					b, err = p.Alloc()
				}
				if !report(t, "alloc", err) {
					return
				}
				b[0] = 1
				runtime.Gosched()
				report(t, "free", p.FreeBatch([]*[8192]byte{b}))
			}
		})
	}
	wg.Wait()
	if s := p.Stats(); s.Live != 0 || s.Failures != 0 {
		t.Errorf("%+v", s)
	}
	check(t, "close", p.Close())
}

// Nobody waits for ever: a context that ends, ends the wait.
func TestFixedWaitEnds(t *testing.T) {
	t.Run("few", func(t *testing.T) { fixedWaitEnds(t, new(pools.FewPool)) })
	t.Run("kept", func(t *testing.T) { fixedWaitEnds(t, new(pools.KeptFewPool)) })
}

func fixedWaitEnds(t *testing.T, p itemPool[*[8192]byte]) {
	batch := make([]*[8192]byte, 8)
	_, err := p.AllocBatch(batch)
	check(t, "alloc", err)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := p.AllocContext(ctx); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, poolrt.ErrLimit) {
		t.Errorf("full pool: %v", err)
	}
	check(t, "free", p.FreeBatch(batch))
	check(t, "close", p.Close())
}

// A pool that gives empty chunks back keeps no more than it was told, and others lower its limit meanwhile.
func TestFixedTrims(t *testing.T) {
	p := new(pools.DrainedPool)
	for limit := int64(1 << 20); limit >= 256<<10; limit -= 64 << 10 {
		all := fillTogether(t, itemPool[*[100]byte](p), true)
		if n := int(limit>>16) * 655; len(all) != n {
			t.Errorf("%d blocks below a limit of %d", len(all), limit)
		}
		if err := p.SetLimit(limit - 64<<10); !errors.Is(err, poolrt.ErrLive) {
			t.Errorf("limit below what is live: %v", err)
		}
		var wg sync.WaitGroup
		for k := range 4 {
			wg.Go(func() {
				if err := p.FreeBatch(all[len(all)*k/4 : len(all)*(k+1)/4]); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if s := p.Stats(); s.Reserved > 192<<10 || s.Live != 0 {
			t.Errorf("after all was freed: %+v", s)
		}
		check(t, "limit", p.SetLimit(limit-64<<10))
	}
	check(t, "close", p.Close())
}

// What processors keep at hand is not live: it cannot be freed.
func TestFixedKeptFrees(t *testing.T) {
	p := new(pools.KeptTicketPool)
	check(t, "track", p.Track(0, 1000))
	id, err := p.Alloc()
	check(t, "alloc", err)
	if s := p.Stats(); poolrt.Pins && s.Cached == 0 {
		t.Errorf("%+v", s)
	}
	for i := range pools.KeptTicketID(1000) {
		if i == id {
			continue
		}
		if err := p.Free(i); !errors.Is(err, poolrt.ErrDoubleFree) {
			t.Errorf("number %d: %v", i, err)
		}
	}
	check(t, "free", p.Free(id))
	check(t, "close", p.Close())
}

// It counts as cached, and does not hold up who gives memory back.
func TestFixedKept(t *testing.T) {
	p := new(pools.KeptPool)
	kept := poolrt.Pins
	for _, back := range []func() error{
		func() error { _, err := p.Trim(0); return err },
		func() error { return p.SetLimit(256 << 10) },
		p.Close,
	} {
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				b, err := p.Alloc()
				if report(t, "alloc", err) {
					report(t, "free", p.Free(b))
				}
			})
		}
		all.Wait()
		if s := p.Stats(); s.Live != 0 || kept && s.Cached == 0 || s.Cached%64 != 0 || s.Reserved == 0 || s.LargestFree != 64 {
			t.Errorf("%+v", s)
		}
		kept = false // for a while
		check(t, "give back", back())
		if s := p.Stats(); s.Cached != 0 || s.Reserved > 256<<10 {
			t.Errorf("%+v", s)
		}
	}
	if s := p.Stats(); s.Allocs != 12 || s.Frees != 12 {
		t.Errorf("%+v", s)
	}
}

// Numbers are given and taken away while others use them.
func TestFixedNumbers(t *testing.T) {
	p := new(pools.TicketPool)
	check(t, "track", p.Track(0, 10))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 2000 {
				if id, ok := p.TryAlloc(); ok {
					report(t, "free", p.Free(id))
				}
			}
		})
	}
	for i := range uint64(300) {
		check(t, "track", p.Track(100+i*10, 10))
		for err := p.Untrack(100+i*10, 10); err != nil; err = p.Untrack(100+i*10, 10) {
			if !errors.Is(err, poolrt.ErrLive) {
				t.Fatal(err)
			}
			runtime.Gosched()
		}
	}
	wg.Wait()
	check(t, "close", p.Close())
}

// A number below all that were given, which are few and close, is refused as any that was not given.
func TestFixedNumbersBelow(t *testing.T) {
	p := new(pools.TicketPool)
	check(t, "track", p.Track(10, 1))
	check(t, "track", p.Track(12, 1))
	for id := range pools.TicketID(10) {
		if err := p.Free(id); !errors.Is(err, poolrt.ErrForeign) {
			t.Errorf("number %d: %v", id, err)
		}
	}
	check(t, "close", p.Close())
}
