package poolimpl

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// behindRig is a pool whose memory comes from a memory pool of the driver.
type behindRig struct {
	*streamRig
	closes, clears, waits []error // results of the next calls
	unclear               int     // how many clears were not waited for
	closed                atomic.Int32
}

func newBehindRig(t *testing.T) *behindRig {
	b := &behindRig{streamRig: newStreamRig(t, nil)}
	b.config.Binder = b
	return b
}

func (b *behindRig) Bind(ask Binding) (Bound, error) {
	bound, err := b.source.Bind(ask)
	bound.Driver = "theirs"
	bound.Zero = func(Chunk) error {
		b.unclear++
		return next(&b.clears)
	}
	bound.ZeroOn = func(Stream, Chunk) error { return next(&b.clears) }
	bound.Zeroed = func() error {
		b.unclear = 0
		return next(&b.waits)
	}
	bound.Close = func() error {
		b.closed.Add(1)
		return next(&b.closes)
	}
	return bound, err
}

func next(list *[]error) error {
	if len(*list) == 0 {
		return nil
	}
	err := (*list)[0]
	*list = (*list)[1:]
	return err
}

func TestDriverPool(t *testing.T) {
	p := newBehindRig(t)
	var got any
	look := func(pool any) error { got = pool; return nil }
	if err := p.ready().Driver(false, look); err != nil || got != nil {
		t.Errorf("before first use: %v, %v", got, err)
	}
	if err := p.ready().Driver(true, look); err != nil || got != "theirs" {
		t.Errorf("%v, %v", got, err)
	}
	cause := errors.New("cause")
	err := p.ready().Driver(false, func(any) error { return cause })
	var e *poolrt.PoolError
	if !errors.Is(err, cause) || !errors.As(err, &e) || e.Op != "driver pool" {
		t.Error(err)
	}
	if err := p.ready().Open(); !errors.Is(err, poolrt.ErrLive) {
		t.Errorf("options after the first use: %v", err)
	}
	if err := p.close(); err != nil {
		t.Error(err)
	}
	if err := p.ready().Driver(true, look); !errors.Is(err, poolrt.ErrClosed) {
		t.Error(err)
	}
}

// Close waits while a caller uses the driver's pool.
func TestDriverPoolStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newBehindRig(t)
		leave := make(chan bool)
		used, closed := errNoMemory, errNoMemory
		spawn(func() { used = p.ready().Driver(true, func(any) error { <-leave; return nil }) })
		spawn(func() { closed = p.close() })
		if p.closed.Load() > 0 || closed == nil {
			t.Error("closed meanwhile")
		}
		close(leave)
		synctest.Wait()
		if used != nil || closed != nil || p.closed.Load() != 1 {
			t.Errorf("used: %v; closed %d times: %v", used, p.closed.Load(), closed)
		}
	})
}

// If Close fails to release the driver's pool, the next Close tries again. Later ones do not.
func TestCloseTriesAgainWhatFailed(t *testing.T) {
	p := newBehindRig(t)
	cause := errors.New("cause")
	p.closes = []error{cause, cause}
	fatal.If(t, p.ready().Open())
	for i, want := range []error{cause, cause, nil, nil} {
		if err := p.close(); !errors.Is(err, want) {
			t.Errorf("close %d: %v", i, err)
		}
	}
	if n := p.closed.Load(); n != 3 {
		t.Errorf("tried %d times", n)
	}
}

// A block that cannot be cleared is freed, and the allocation fails.
func TestClearFails(t *testing.T) {
	p := newBehindRig(t)
	p.config.ZeroDevice = true
	if err := p.ready().clearEach(1, 10, nil, func(int) uint64 { return 1 }); !errors.Is(err, poolrt.ErrClosed) {
		t.Errorf("before the first use: %v", err)
	}
	cause := errors.New("cause")
	fails := func(what string, err error) {
		t.Helper()
		e, ok := err.(*poolrt.PoolError) // and no list of one error
		if !errors.Is(err, cause) || !ok || e.Request != 10 || p.unclear != 0 || p.ready().Stats().Live != 0 {
			t.Errorf("%s: %v; %d are not waited for, %d live", what, err, p.unclear, p.ready().Stats().Live)
		}
	}
	p.clears = []error{nil, cause}
	b, err := p.ready().Alloc(1, 10, 1)
	fatal.If(t, err)
	fatal.If(t, p.free(block{b.Addr, 10}))
	_, err = p.ready().Alloc(1, 10, 1)
	fails("clearing", err)
	p.waits = []error{cause}
	_, err = p.ready().Alloc(1, 10, 1)
	fails("waiting", err)
	p.clears = []error{cause}
	if _, ok := p.ready().TryAlloc(10, 1); ok {
		t.Error("TryAlloc returned a block that is not clear")
	}
	p.clears = []error{cause}
	_, err = p.ready().AllocOn(s1, 10, 1, 1)
	fails("clearing on a stream", err)
	p.clears = []error{nil, nil, cause, nil}
	n, err := p.batch(4)
	fails("a batch", err)
	if n != 0 || len(p.clears) != 1 {
		t.Errorf("%d blocks; %d blocks of the batch were not cleared", n, len(p.clears))
	}
	if n := p.ready().Stats().Failures; n != 5 {
		t.Errorf("%d failures", n)
	}
	if err := p.close(); err != nil {
		t.Error(err)
	}
}

// batch allocates n blocks of 10 bytes, and returns how many it got.
func (b *behindRig) batch(n int) (int, error) {
	list := make([]uint64, n)
	addr := func(at uint64) uint64 { return at }
	return CompleteBatch(b.ready(), list, 0, 10, func(b Block) uint64 { return b.Addr }, addr, func([]uint64) int { return 0 })
}
