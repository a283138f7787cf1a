package poolimpl

import (
	"errors"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// orderedRig is a pool with ordering driver.
type orderedRig struct {
	Engine
	DriverBlocks
	config Config
	source *boundSource
	onFree func() error // called by each free on a stream
}

func newOrderedRig(t testing.TB) *orderedRig {
	p := &orderedRig{source: &boundSource{fakeSource: &fakeSource{t: t}, line: newTimeline()}}
	p.config = Config{
		Name: "test.Ordered", Allocator: "device", Binder: p, Locked: true, ChunkSize: 100, Granularity: 1, Alignment: 1, Limit: 1000, WaitTimeout: 1e9,
		Ladder: []Rung{ErrorRung{}}, Ordering: orderingDriver, Order: OnStreams{},
	}
	t.Cleanup(func() { p.name.unregister(&p.Engine) })
	return p
}

func (p *orderedRig) ready() *Engine { return p.Init(&p.config, &p.DriverBlocks) }

func (p *orderedRig) Bind(ask Binding) (Bound, error) {
	bound, err := p.source.Bind(ask)
	bound.Streams = p
	return bound, err
}

func (p *orderedRig) Alloc(size, align int64) (Chunk, error) { return p.source.Alloc(size, align) }
func (p *orderedRig) Free(c Chunk) error                     { return p.source.Free(c) }
func (p *orderedRig) AllocOn(_ Stream, size, align int64) (Chunk, error) {
	return p.source.Alloc(size, align)
}
func (p *orderedRig) FreeBehind(_ Stream, c Chunk) error { return p.source.Free(c) }
func (p *orderedRig) Observe(Stream)                     {}
func (p *orderedRig) TrimUnused() error                  { return nil }

func (p *orderedRig) FreeOn(_ Stream, c Chunk) error {
	if p.onFree != nil {
		if err := p.onFree(); err != nil {
			return err
		}
	}
	return p.source.Free(c)
}

// allocInOrder and freeInOrder are AllocOn and FreeOn of a generated pool.
func allocInOrder(e *Engine, s Stream, bytes uint64) (addr uint64, err error) {
	if !Observed {
		if addr, err = e.AllocInOrder(s, bytes); addr != 0 {
			return addr, nil
		}
	}
	b, err := e.AllocAfter(err, s, int(bytes), 1)
	return b.Addr, err
}

func freeInOrder(e *Engine, s Stream, addr, bytes uint64) error {
	if !Observed {
		if known, err := e.FreeInOrder(s, addr, bytes); known {
			return err
		}
	}
	return e.FreeOn(s, addr, bytes)
}

// While the driver fails to free a block, another free of it is refused. Then the block is live again, and one free of it succeeds.
func TestFreeDuringAFailingFree(t *testing.T) {
	p, s := newOrderedRig(t), Stream{Handle: 1, ID: 1}
	addr, err := allocInOrder(p.ready(), s, 100)
	fatal.If(t, err)
	cause := errors.New("cause")
	free := func() error { return freeInOrder(p.ready(), s, addr, 100) }
	p.onFree = func() error {
		if err := free(); !errors.Is(err, poolrt.ErrDoubleFree) {
			t.Errorf("a second free meanwhile: %v", err)
		}
		return cause
	}
	if err := free(); !errors.Is(err, cause) || !errors.Is(err, poolrt.ErrNotReturned) {
		t.Errorf("the free: %v", err)
	}
	if st := p.ready().Stats(); st.Live != 1 || st.Reserved != 100 {
		t.Errorf("%+v", st)
	}
	p.onFree = nil
	if err := free(); err != nil {
		t.Errorf("the free after the failure: %v", err)
	}
	if err := free(); !errors.Is(err, poolrt.ErrDoubleFree) {
		t.Errorf("another free: %v", err)
	}
	if st := p.ready().Stats(); st.Live != 0 || st.Reserved != 0 {
		t.Errorf("%+v", st)
	}
}

// The soft limit counts each block that crosses it, whether callers meet or not; but no block that the driver refuses.
func TestSoftLimitInOrder(t *testing.T) {
	p, s := newOrderedRig(t), Stream{Handle: 1, ID: 1}
	p.config.SoftLimit = 150
	for i, meet := range []bool{false, false, true} {
		below, err := allocInOrder(p.ready(), s, 100)
		fatal.If(t, err)
		if meet {
			p.met()
		}
		p.source.onAlloc = func(int) error { return errNoMemory }
		if _, err := allocInOrder(p.ready(), s, 100); !errors.Is(err, errNoMemory) {
			t.Errorf("the driver has no memory: %v", err)
		}
		p.source.onAlloc = nil
		above, err := allocInOrder(p.ready(), s, 100)
		fatal.If(t, err)
		if st := p.ready().Stats(); st.SoftCrossings != int64(i+1) || st.Reserved != 200 {
			t.Errorf("after %d crossings, %+v", i+1, st)
		}
		for _, addr := range []uint64{above, below} {
			if err := freeInOrder(p.ready(), s, addr, 100); err != nil {
				t.Error(err)
			}
		}
	}
}

// If an event hook panics because a block crosses the soft limit, the block goes back.
func TestHookPanicsInOrder(t *testing.T) {
	s := Stream{Handle: 1, ID: 1}
	for _, meet := range []bool{false, true} {
		p := newOrderedRig(t)
		p.config.SoftLimit = 150
		addr, err := allocInOrder(p.ready(), s, 100)
		fatal.If(t, err)
		if meet {
			p.met()
		}
		stop := poolrt.OnEvent(func(poolrt.Event) { panic("hook") })
		guarded(t, func() { _, _ = allocInOrder(p.ready(), s, 100) })
		stop()
		if st := p.ready().Stats(); st.Live != 1 || st.Reserved != 100 || st.Allocs != 1 || st.SoftCrossings != 1 {
			t.Errorf("%+v", st)
		}
		if err := freeInOrder(p.ready(), s, addr, 100); err != nil {
			t.Error(err)
		}
	}
}

// A budget counts the blocks of a pool also when it has had as many before.
func TestBudgetInOrder(t *testing.T) {
	p, s := newOrderedRig(t), Stream{Handle: 1, ID: 1}
	p.config.Budget = NewBudget("B", 150)
	for range 3 {
		addr, err := allocInOrder(p.ready(), s, 100)
		fatal.If(t, err)
		if n := p.config.Budget.Reserved(); n != 100 {
			t.Errorf("the budget has %d bytes, not 100", n)
		}
		if err := freeInOrder(p.ready(), s, addr, 100); err != nil {
			t.Error(err)
		}
		if n := p.config.Budget.Reserved(); n != 0 {
			t.Errorf("after a free, the budget has %d bytes", n)
		}
	}
}

// The limit holds although more was reserved before it was lowered. A size that no number has after rounding is refused, and reserves nothing.
func TestLimitInOrder(t *testing.T) {
	p, s := newOrderedRig(t), Stream{Handle: 1, ID: 1}
	p.config.Granularity, p.config.Limit, p.config.Oversize = 512, 1024, true
	for _, bytes := range []uint64{500, 900} {
		addr, err := allocInOrder(p.ready(), s, bytes)
		if err == nil {
			err = freeInOrder(p.ready(), s, addr, bytes)
		}
		fatal.If(t, err)
	}
	if st := p.ready().Stats(); st.PeakReserved != 1024 {
		t.Errorf("at most %d bytes were reserved, not 1024", st.PeakReserved)
	}
	wantErr(t, "SetLimit", p.ready().SetLimit(512), nil)
	for _, bytes := range []uint64{513, math.MaxInt - 100, math.MaxInt} {
		if _, err := allocInOrder(p.ready(), s, bytes); !errors.Is(err, poolrt.ErrLimit) && !errors.Is(err, poolrt.ErrTooLarge) {
			t.Errorf("%d bytes: %v", bytes, err)
		}
	}
	if st := p.ready().Stats(); st.Reserved != 0 || st.Live != 0 {
		t.Errorf("%+v", st)
	}
	if _, err := allocInOrder(p.ready(), s, 512); err != nil {
		t.Error(err)
	}
	calls := p.source.allocs
	for _, bytes := range []uint64{513, math.MaxInt - 1000, math.MaxInt - 100} { // beside what is live
		if _, err := p.ready().AllocInOrder(s, bytes); err != poolrt.ErrLimit {
			t.Errorf("%d bytes: %v", bytes, err)
		}
	}
	if n := p.source.allocs - calls; n != 0 {
		t.Errorf("the driver was called %d times", n)
	}
}

// lateSource counts the allocations that begin although the pool has been stopped.
type lateSource struct {
	freeSource
	stopped atomic.Bool
	late    int
}

func (l *lateSource) AllocOn(s Stream, size, align int64) (Chunk, error) {
	if l.stopped.Load() {
		l.late++
	}
	return l.freeSource.AllocOn(s, size, align)
}

// Once a pool has been stopped, as it is before it closes, no allocation begins, wherever its caller was then. ReadMemStats stops the world, so the caller is
// anywhere, and goes on a little later.
func TestStopInOrder(t *testing.T) {
	p, s := newOrderedRig(t), Stream{Handle: 1, ID: 1}
	if _, err := allocInOrder(p.ready(), s, 100); err != nil { // opens the pool
		t.Fatal(err)
	}
	source, d, e := new(lateSource), &p.DriverBlocks, p.ready()
	d.source = source
	var turns atomic.Int64 // of the caller; it ends when they are negative
	var done sync.WaitGroup
	done.Go(func() {
		for turns.Add(1) > 0 {
			if addr, _ := e.AllocInOrder(s, 100); addr != 0 {
				if _, err := e.FreeInOrder(s, addr, 100); err != nil {
					t.Error(err)
				}
			}
		}
	})
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		d.stop()
		source.stopped.Store(true)
		for before := turns.Load(); turns.Load() < before+2; {
			runtime.Gosched()
		}
		source.stopped.Store(false)
		d.bound.Store(p.config.Limit)
	}
	turns.Store(math.MinInt64)
	done.Wait()
	if source.late > 0 {
		t.Errorf("%d allocations began after the pool had been stopped", source.late)
	}
}

// Once no process uses a block any longer that was freed, its address may be that of another block, which is an ordinary one. So may the cells that the removal of
// blocks has emptied.
func TestAddressAfterShare(t *testing.T) {
	p, s := newOrderedRig(t), Stream{Handle: 1, ID: 1}
	if _, err := allocInOrder(p.ready(), s, 100); err != nil { // opens the pool
		t.Fatal(err)
	}
	p.DriverBlocks.source = freeSource{}
	d := &p.DriverBlocks
	for range 2 {
		addr, err := allocInOrder(p.ready(), s, 100)
		fatal.If(t, err)
		if _, v := d.hold(addr, 100); v != Freed {
			t.Fatalf("the block is not live: verdict %d", v)
		}
		if err := freeInOrder(p.ready(), s, addr, 100); err != nil {
			t.Error(err)
		}
		if err := freeInOrder(p.ready(), s, addr, 100); !errors.Is(err, poolrt.ErrDoubleFree) {
			t.Errorf("a second free: %v", err)
		}
		b, due := d.letGo(addr)
		if !due {
			t.Fatal("the block stays")
		}
		if err := d.giveBack(p.ready(), &b, s, true); err != nil {
			t.Error(err)
		}
	}
	addr, err := allocInOrder(p.ready(), s, 100)
	if err == nil {
		err = freeInOrder(p.ready(), s, addr, 100)
	}
	if err != nil {
		t.Error(err)
	}
	for i := range d.parts {
		for _, b := range d.parts[i].cells {
			if b.addr == 0 && (b.shares != 0 || b.kept) {
				t.Errorf("an empty cell has %+v", b)
			}
		}
	}
}

// A free wakes a caller that waits.
func TestFreeInOrderWakes(t *testing.T) {
	p, s := newOrderedRig(t), Stream{Handle: 1, ID: 1}
	addr, err := allocInOrder(p.ready(), s, 100)
	fatal.If(t, err)
	w := &waiter{engine: p.ready(), request: request{bytes: 1000}, wake: make(chan struct{}, 1)}
	p.lock()
	p.waiters.insert(w, 0)
	p.unlock()
	if err := freeInOrder(p.ready(), s, addr, 100); err != nil {
		t.Error(err)
	}
	if len(w.wake) != 1 {
		t.Error("the caller was not woken")
	}
	p.lock()
	p.waiters.remove(w)
	p.unlock()
}

// A free that comes while a waiter tries, and so is not in the queue, wakes nobody. The waiter then sees the room itself, without a tick.
func TestFreeWhileWaiterTries(t *testing.T) {
	p, s := newOrderedRig(t), Stream{Handle: 1, ID: 1}
	if _, err := allocInOrder(p.ready(), s, 100); err != nil {
		t.Fatal(err)
	}
	for err, want := range map[error]int{poolrt.ErrLimit: 1, poolrt.ErrOutOfMemory: 0} {
		for bytes, fits := range map[uint64]int{900: 1, 901: 0} {
			w := &waiter{engine: p.ready(), request: request{bytes: bytes}, err: err, wake: newToken()}
			p.lock()
			p.waiters.insert(w, 0)
			p.ServeWaiters()
			p.waiters.remove(w)
			p.unlock()
			if len(w.wake) != want*fits {
				t.Errorf("%v, %d bytes: %d tokens", err, bytes, len(w.wake))
			}
		}
	}
}

// A pool remembers 64 streams. A further one takes the place of one on which nothing was freed lately.
func TestFreedOn(t *testing.T) {
	var f freedOn
	for id := range uint64(mostStreams) {
		f.note(Stream{ID: id * 7})
		f.note(Stream{ID: id * 7})
	}
	if n := len(f.list()); n != mostStreams {
		t.Errorf("%d streams", n)
	}
	f.note(Stream{ID: 1000}) // it passes all once, and replaces the first
	kept := Stream{ID: 2000}
	f.note(kept)
	for id := range uint64(40) {
		f.note(kept)
		f.note(Stream{ID: 3000 + id})
	}
	if _, known := f.find(kept); !known || len(f.list()) != mostStreams {
		t.Errorf("a stream that frees all the time was forgotten: %v", f.list())
	}
}

// freeSource is a StreamSource that costs nothing.
type freeSource struct{ StreamSource }

func (freeSource) AllocOn(_ Stream, size, _ int64) (Chunk, error) {
	return Chunk{Addr: 1 << 30, Size: size, Origin: 1 << 30}, nil
}
func (freeSource) FreeOn(Stream, Chunk) error { return nil }

// BenchmarkDriverOrder measures what a pool with ordering driver adds to the two calls of a driver that cost nothing.
func BenchmarkDriverOrder(b *testing.B) {
	p := newOrderedRig(b)
	e := p.ready()
	s := Stream{Handle: 1, ID: 1}
	if _, err := allocInOrder(e, s, 1); err != nil { // opens the pool
		b.Fatal(err)
	}
	p.DriverBlocks.source = freeSource{}
	for b.Loop() {
		addr, err := allocInOrder(e, s, 100)
		if err == nil {
			err = freeInOrder(e, s, addr, 100)
		}
		fatal.If(b, err)
	}
}

// If the driver's side panics, the block of that call is lost: it does not count, its bytes can be had by others, and the pool can be closed.
func TestDriverPanics(t *testing.T) {
	s := Stream{Handle: 1, ID: 1}
	alloc := func(p *orderedRig) (uint64, error) { return allocInOrder(p.ready(), s, 100) }
	strike := func(int) error { panic("the driver's side") }
	for name, play := range map[string]func(p *orderedRig, addr uint64){
		"alloc on a stream": func(p *orderedRig, _ uint64) { p.source.onAlloc = strike; _, _ = alloc(p) },
		"alloc":             func(p *orderedRig, _ uint64) { p.source.onAlloc = strike; _, _ = p.ready().Alloc(100, 1, 1) },
		"free on a stream":  func(p *orderedRig, addr uint64) { p.source.onFree = strike; _ = freeInOrder(p.ready(), s, addr, 100) },
		"free":              func(p *orderedRig, addr uint64) { p.source.onFree = strike; _ = p.ready().Free(addr, 100) },
		"retry": func(p *orderedRig, addr uint64) {
			for range 2 { // as if the driver had not taken them back
				c, _ := p.source.Alloc(100, 1)
				p.claim(c.Size)
				p.unused.add(c)
			}
			p.source.onFree = strike
			p.ready().Poll()
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newOrderedRig(t)
			addr, err := alloc(p)
			fatal.If(t, err)
			func() {
				defer func() {
					if recover() == nil {
						t.Error("no panic")
					}
				}()
				play(p, addr)
			}()
			p.source.onAlloc, p.source.onFree = nil, nil
			st := p.ready().Stats()
			if st.Reserved != 100*st.Live+p.unused.bytes() {
				t.Errorf("%d bytes for %d live blocks, and %d that were not taken back", st.Reserved, st.Live, p.unused.bytes())
			}
			if err := p.ready().CloseForce(func() { p.DriverBlocks = DriverBlocks{} }); err != nil {
				t.Error(err)
			}
		})
	}
}

// An address whose block was freed may come to a graph, or back as a borrowed block. A free there is judged by what is there now.
func TestAddressFreedBefore(t *testing.T) {
	p, lender, s := newOrderedRig(t), newOrderedRig(t), Stream{Handle: 1, ID: 1}
	p.config.Private, p.config.Limit, p.config.Oversize = 100, 200, true
	p.config.Ladder = []Rung{PoolRung{Pool: func(int) *Engine { return lender.ready() }}}
	freed, err := allocInOrder(p.ready(), s, 100)
	wantErr(t, "alloc", err, nil)
	wantErr(t, "free", freeInOrder(p.ready(), s, freed, 100), nil)

	p.source.next = freed
	g, end := graphOf(t, p.ready())
	wantErr(t, "grow", g.Grow(Point{}, 100, 1, 1), nil)
	output, _ := g.Take(Point{}, 100, 1, 1)
	g.End()
	if output.Addr != freed {
		t.Fatalf("the output is at %#x, not at %#x", output.Addr, freed)
	}
	wantErr(t, "free of an output", freeInOrder(p.ready(), s, freed, 100), poolrt.ErrLive)
	wantErr(t, "free of an output, without a stream", p.ready().Free(freed, 100), poolrt.ErrLive)
	end()
	p.ready().Poll()
	wantErr(t, "second free, once the graph is gone", freeInOrder(p.ready(), s, freed, 100), poolrt.ErrDoubleFree)
	if Debug {
		return // red zones: the lender has no block at that address
	}
	full, err := allocInOrder(p.ready(), s, 200)
	wantErr(t, "alloc", err, nil)
	borrowed, err := allocInOrder(p.ready(), s, 100)
	if err != nil || borrowed != freed || lender.Engine.Stats().Live != 1 {
		t.Fatalf("block at %#x, %v; the lender has %d live", borrowed, err, lender.Engine.Stats().Live)
	}
	if b, err := p.ready().Find(borrowed, 1); err != nil || b.Items != 100 {
		t.Errorf("find of a borrowed block: %+v, %v", b, err)
	}
	wantErr(t, "free of a borrowed block", p.ready().Free(borrowed, 100), nil)
	wantErr(t, "second free", p.ready().Free(borrowed, 100), poolrt.ErrDoubleFree)
	if n := lender.Engine.Stats().Live; n != 0 {
		t.Errorf("%d blocks are lost", n)
	}
	p.source.next = freed
	wantErr(t, "free", freeInOrder(p.ready(), s, full, 200), nil)
	if addr, err := allocInOrder(p.ready(), s, 100); addr != freed || err != nil {
		t.Fatalf("block at %#x, %v", addr, err)
	}
	if b, err := p.ready().Find(freed, 1); err != nil || b.Items != 100 {
		t.Errorf("find where a borrowed block was: %+v, %v", b, err)
	}
	wantErr(t, "free where a borrowed block was", freeInOrder(p.ready(), s, freed, 100), nil)
}
