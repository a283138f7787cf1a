package poolimpl

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// clearRig is a pool of host memory that clears its blocks.
type clearRig struct {
	Engine
	shared lastingCore
}

// lastingCore is a sharedCore that can be shut.
type lastingCore struct{ sharedCore }

func (c *lastingCore) Shut(bool) bool { c.fakeCore = fakeCore{}; return true }

// newClearRig returns a pool whose chunks have 1 MiB each.
func newClearRig(shared bool, change func(*Config)) *clearRig {
	p := new(clearRig)
	core := Core(&p.shared.fakeCore)
	if shared {
		core = &p.shared
	}
	config := &Config{
		Name: "test.Clear", Source: Host(), Locked: true, ChunkSize: 1 << 20, Granularity: 1, Alignment: 64,
		Limit: 4 << 20, Spacing: Spacing, Zeroes: true, ZeroAlways: true, WaitTimeout: 1e9, Ladder: []Rung{ErrorRung{}},
	}
	if change != nil {
		change(config)
	}
	p.Init(config, core)
	return p
}

func (p *clearRig) reset() { p.shared.fakeCore.Reset() }

func (p *clearRig) close() error { return p.CloseForce(func() { p.shared.Shut(true) }) }

// fast is the fast path of a shell: it takes a block of the existing chunks and clears it.
func (p *clearRig) fast(bytes uint64) bool {
	if p.Engine.core.shared == nil {
		p.Lock()
		defer p.Unlock()
	} else if !p.BeginClear() {
		return false
	} else {
		defer p.EndClear()
	}
	slot, off, ok := p.shared.Alloc(bytes, 1)
	if ok {
		p.Clear(p.At(slot, off), bytes)
	}
	return ok
}

// replaceClear has f clear memory until the test ends.
func replaceClear(t *testing.T, f func([]byte)) {
	was := clearMemory
	clearMemory = f
	t.Cleanup(func() { clearMemory = was })
}

// endings are the calls that free all blocks at once, or let the memory go.
func (p *clearRig) endings() map[string]func() error {
	return map[string]func() error{
		"Reset":      func() error { return p.FreeAll(p.reset) },
		"CloseForce": p.close,
		"Release":    func() error { return p.Engine.Release(func() bool { p.reset(); return true }) },
	}
}

// TestClearEndsFirst: whoever frees all blocks at once, or lets the memory go, waits for those who are clearing a block. The lock is free meanwhile.
func TestClearEndsFirst(t *testing.T) {
	const large = 64 << 10
	allocs := map[string]func(*clearRig) error{
		"fast path": func(p *clearRig) error {
			if !p.fast(large) {
				return poolrt.ErrLimit
			}
			return nil
		},
		"Alloc": func(p *clearRig) error { _, err := p.Alloc(1, large, 1); return err },
		"TryAlloc": func(p *clearRig) error {
			if _, ok := p.TryAlloc(1, large); !ok {
				return poolrt.ErrLimit
			}
			return nil
		},
		"batch": func(p *clearRig) error {
			dst := make([]Block, 2)
			same, addr := func(b Block) Block { return b }, func(b Block) uint64 { return b.Addr }
			_, err := CompleteBatch(&p.Engine, dst, 0, large, same, addr, func([]Block) int { return 0 })
			return err
		},
	}
	for name, alloc := range allocs {
		for _, shared := range []bool{false, true} {
			for end := range new(clearRig).endings() {
				synctest.Test(t, func(t *testing.T) {
					p := newClearRig(shared, nil)
					b, err := p.Alloc(1, large, 1) // so that the place was handed out before
					wantErr(t, "alloc", err, nil)
					wantErr(t, "free", p.Free(b.Addr*p.observed.debug.apart(), large), nil)
					leave := make(chan bool)
					replaceClear(t, func(b []byte) { <-leave; clear(b) })
					allocated, ended := errNoBlock, errNoBlock
					spawn(func() { allocated = alloc(p) })
					spawn(func() { ended = p.endings()[end]() })
					if allocated != errNoBlock || ended != errNoBlock {
						t.Errorf("%s, shared %v: %v; %s: %v during the clear", name, shared, allocated, end, ended)
					}
					p.Stats() // takes the lock
					close(leave)
					synctest.Wait()
					if ended != nil || allocated != nil && !errors.Is(allocated, poolrt.ErrClosed) {
						t.Errorf("%s, shared %v: %v; %s: %v", name, shared, allocated, end, ended)
					}
					if end != "CloseForce" {
						p.fast(large)
						wantErr(t, "close", p.close(), nil)
					}
				})
			}
		}
	}
}

// While someone waits for those who clear, allocations of a shared core leave the fast path; afterwards they
// are there again, also after a Reset that is refused.
func TestClearWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newClearRig(true, nil)
		_, err := p.Alloc(1, 100, 1)
		wantErr(t, "alloc", err, nil)
		if !p.BeginClear() {
			t.Fatal("the fast path is closed")
		}
		reset := errNoBlock
		spawn(func() { reset = p.Reset(p.reset) })
		if p.BeginClear() {
			t.Error("a clear begins while Reset waits")
		}
		if reset != errNoBlock {
			t.Errorf("Reset does not wait: %v", reset)
		}
		p.EndClear()
		synctest.Wait()
		wantErr(t, "reset", reset, poolrt.ErrLive)
		if !p.BeginClear() {
			t.Error("the fast path stays closed")
		}
		p.EndClear()
		wantErr(t, "close", p.close(), nil)
		if p.BeginClear() {
			t.Error("the fast path of a closed pool is open")
		}
	})
}

// A waiter that was served does not get a block that a Reset has freed since: it is served again, or learns that the pool is closed.
func TestServedBeforeReset(t *testing.T) {
	for end, want := range map[string]error{"Reset": nil, "CloseForce": poolrt.ErrClosed} {
		synctest.Test(t, func(t *testing.T) {
			waits := func(c *Config) { c.Limit, c.Ladder = c.ChunkSize, []Rung{WaitRung{}} }
			p := newClearRig(false, waits)
			_, err := p.Alloc(1, 1<<20, 1)
			wantErr(t, "alloc", err, nil)
			var b Block
			spawn(func() { b, err = p.Alloc(1, 1<<20, 1) })
			p.Lock() // a free serves the waiter, and the end comes before it runs
			p.reset()
			p.ServeWaiters()
			if end == "Reset" {
				p.sweep(p.reset)
			} else {
				p.end(nil)
				p.shared.Shut(true)
			}
			p.Unlock()
			synctest.Wait()
			wantErr(t, "waiter", err, want)
			if s := p.Stats(); want == nil && (s.Live != 1 || b.Ptr == nil) {
				t.Errorf("%+v", s)
			}
			wantErr(t, "close", p.close(), nil)
		})
	}
}

// What the device clears is waited for as well. A batch clears its blocks when it has all; if a Reset came
// before, they may be others' by now, and stay as they are.
func TestDeviceClearEndsFirst(t *testing.T) {
	for _, stream := range []*Stream{nil, &s1} {
		synctest.Test(t, func(t *testing.T) {
			p := newBehindRig(t)
			p.config.ZeroDevice = true
			wantErr(t, "open", p.ready().Open(), nil)
			leave := make(chan bool)
			p.memory.Zero = func(Chunk) error { <-leave; return nil }
			p.memory.ZeroOn = func(Stream, Chunk) error { <-leave; return nil }
			allocated, ended := errNoBlock, errNoBlock
			spawn(func() { _, allocated = p.ready().allocItems(1, 10, request{align: 1, stream: stream}) })
			spawn(func() { ended = p.FreeAll(p.core.Reset) })
			if allocated != errNoBlock || ended != errNoBlock {
				t.Errorf("allocation: %v, FreeAll: %v while the block is being cleared", allocated, ended)
			}
			close(leave)
			synctest.Wait()
			wantErr(t, "allocation", allocated, nil)
			wantErr(t, "FreeAll", ended, nil)
			wantErr(t, "close", p.close(), nil)
		})
	}
}

func TestDeviceBatchAfterReset(t *testing.T) {
	p := newBehindRig(t)
	p.config.ZeroDevice = true
	wantErr(t, "open", p.ready().Open(), nil)
	b := batch{engine: p.ready(), bytes: 10}
	wantErr(t, "begin", b.begin(1), nil)
	found, err := b.next()
	wantErr(t, "next", err, nil)
	wantErr(t, "FreeAll", p.FreeAll(p.core.Reset), nil)
	if other, err := p.Alloc(1, 10, 1); err != nil || other.Addr != found.Addr {
		t.Fatalf("the place is not handed out again: %v", err)
	}
	clears := 0
	p.memory.Zero = func(Chunk) error { clears++; return nil }
	wantErr(t, "end", b.end(1, func(int) uint64 { return found.Addr }, nil), nil)
	if clears != 0 {
		t.Error("the block of another owner was cleared")
	}
	_ = b.undo(1, func(int) uint64 { return found.Addr }, nil)
	if p.Stats().Live != 1 {
		t.Error("the block of another owner was freed")
	}
	wantErr(t, "FreeAll", p.FreeAll(p.core.Reset), nil)
	wantErr(t, "close", p.close(), nil)
}

// TestFreshMemoryIsNotCleared: of memory that the source supplies zeroed, only what was handed out before is cleared, whatever became of it since.
func TestFreshMemoryIsNotCleared(t *testing.T) {
	if Debug {
		t.Skip("debug builds clear all: there are red zones in what was not handed out")
	}
	for _, shared := range []bool{false, true} {
		var cleared []int
		replaceClear(t, func(b []byte) {
			if clear(b); len(b) > 0 {
				cleared = append(cleared, len(b))
			}
		})
		p := newClearRig(shared, nil)
		step := func(what string, f func(), want ...int) {
			t.Helper()
			cleared = nil
			f()
			if !slices.Equal(cleared, want) {
				t.Errorf("shared %v, %s: %v bytes are cleared, want %v", shared, what, cleared, want)
			}
		}
		var second Block
		alloc := func(n int) (b Block) {
			b, err := p.Alloc(n, 1, 1)
			wantErr(t, "alloc", err, nil)
			for i := range unsafe.Slice((*byte)(b.Ptr), n) {
				at := (*byte)(unsafe.Add(b.Ptr, i))
				if *at != 0 {
					t.Fatalf("byte %d of a block is not zero", i)
				}
				*at = 1
			}
			return b
		}
		step("a new chunk", func() { alloc(100) })
		step("beside a block", func() { second = alloc(1000) })
		free := func(b Block) { wantErr(t, "free", p.Free(b.Addr, uint64(b.Items)), nil) }
		step("again", func() { free(second); second = alloc(1000) }, 1000)
		step("more than before", func() { free(second); second = alloc(5000) }, 1000)
		step("on the fast path", func() { p.fast(64) })
		step("after a Reset", func() { wantErr(t, "reset", p.FreeAll(p.reset), nil); alloc(10000) }, 5164)
		step("a second chunk", func() { alloc(1 << 20) })
		step("after a Trim", func() {
			wantErr(t, "reset", p.FreeAll(p.reset), nil)
			_, err := p.Trim(0)
			wantErr(t, "trim", err, nil)
			alloc(1 << 20)
		})
		wantErr(t, "close", p.close(), nil)
	}
}

// Memory of other sources need not be zero.
func TestOtherMemoryIsCleared(t *testing.T) {
	cleared := 0
	replaceClear(t, func(b []byte) { clear(b); cleared += len(b) })
	p := newClearRig(false, func(c *Config) {
		alloc := func(size, align int64) (unsafe.Pointer, error) { return heapMemory(size, align).Ptr, nil }
		c.Source = CustomSource(alloc, func(unsafe.Pointer, int64) error { return nil })
	})
	_, err := p.Alloc(1<<20, 1, 1)
	if wantErr(t, "alloc", err, nil); cleared != 1<<20 {
		t.Errorf("%d bytes are cleared", cleared)
	}
	wantErr(t, "close", p.close(), nil)
}

// A new direct block of the host is zero; one that another pool lends is not.
func TestFreshDirectBlock(t *testing.T) {
	if Debug {
		t.Skip("debug builds clear all")
	}
	cleared := 0
	replaceClear(t, func(b []byte) { clear(b); cleared += len(b) })
	lender := newClearRig(false, func(c *Config) { c.Name, c.ZeroAlways, c.Oversize = "test.Lender", false, true })
	lends := func(int) *Engine { return &lender.Engine }
	for rung, want := range map[Rung]int{DriverRung{}: 0, &PoolRung{lends}: 2 << 20} {
		p := newClearRig(false, func(c *Config) { c.Ladder = []Rung{rung, ErrorRung{}} })
		cleared = 0
		b, err := p.Alloc(2<<20, 1, 1)
		if wantErr(t, "alloc", err, nil); cleared != want {
			t.Errorf("%v: %d bytes are cleared, want %d", rung, cleared, want)
		}
		wantErr(t, "free", p.Free(b.Addr, 2<<20), nil)
		wantErr(t, "close", p.close(), nil)
	}
	wantErr(t, "close", lender.close(), nil)
}
