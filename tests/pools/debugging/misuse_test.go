//go:build pooldebug

package debugging

import (
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/pools/debugging/pools"
	"github.com/poolgen/poolgen/tests/pools/internal/forms"
)

// is fails the test unless an error matches kind.
func is(t *testing.T, err, kind error) string {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Fatalf("%v, want %v", err, kind)
	}
	var p *poolrt.PoolError
	if !errors.As(err, &p) {
		t.Fatalf("%T is no PoolError", err)
	}
	return err.Error()
}

// A correct program gets no reports.
func TestCorrectUseIsNotReported(t *testing.T) {
	forms.Each(t, func(t *testing.T, p forms.Pool) {
		var blocks [][]byte
		for round := range 3000 {
			b := p.Take(t)
			clear(b)
			if blocks = append(blocks, b); len(blocks) > 50 {
				at := round % len(blocks)
				fatal.If(t, p.Free(blocks[at]))
				blocks = append(blocks[:at], blocks[at+1:]...)
			}
		}
		for _, b := range blocks {
			fatal.If(t, p.Free(b))
		}
		fatal.If(t, p.Close())
	})
}

func TestSecondFreeIsRefused(t *testing.T) {
	forms.Each(t, func(t *testing.T, p forms.Pool) {
		b := p.Take(t)
		fatal.If(t, p.Free(b))
		other := p.Take(t) // would have been the same block
		for range 2 {
			report := is(t, p.Free(b), poolrt.ErrDoubleFree)
			tells(t, report, "handed out", "Pool.Take", "freed", "TestSecondFreeIsRefused")
			p.Stats() // empties the quarantine
		}
		if err := p.Free(other); err != nil {
			t.Errorf("a late free freed the block of another owner: %v", err)
		}
	})
}

func TestForeignFreeIsRefused(t *testing.T) {
	forms.Each(t, func(t *testing.T, p forms.Pool) {
		b := p.Take(t)
		own := make([]byte, size)
		is(t, p.Free(own), poolrt.ErrForeign)
		for _, at := range []int{1, 8} {
			tells(t, is(t, p.Free(b[at:size:size]), poolrt.ErrForeign), "it is byte", "Pool.Take")
		}
		fatal.If(t, p.Free(b))
	})
}

// The report of a free into the wrong pool names the pool of the block.
func TestFreeIntoTheWrongPool(t *testing.T) {
	forms.Each(t, func(t *testing.T, p forms.Pool) {
		var wrong pools.HeapPool
		b := p.Take(t)
		report := is(t, wrong.Free(b), poolrt.ErrForeign)
		tells(t, report, "; it is a live block of pools.", "handed out", "Pool.Take")
		fatal.If(t, p.Free(b))
		if report := is(t, wrong.Free(b), poolrt.ErrForeign); strings.Contains(report, "live block of") {
			t.Errorf("the report calls the block free: %s", report)
		}
	})
}

// The report about an address far from all blocks names no block.
func TestFreeFarFromAllBlocks(t *testing.T) {
	forms.Each(t, func(t *testing.T, p forms.Pool) {
		p.Take(t)
		if report := is(t, p.Free(nil), poolrt.ErrForeign); !strings.Contains(report, "a nil pointer") || strings.Contains(report, "block at") {
			t.Error(report)
		}
		if report := is(t, p.Free(make([]byte, size)), poolrt.ErrForeign); !strings.Contains(report, "no block of the pool is near") || strings.Contains(report, "block at") {
			t.Error(report)
		}
	})
}

func TestFreeWithAnotherLengthIsRefused(t *testing.T) {
	p := new(pools.HeapPool)
	b, err := p.Alloc(size)
	fatal.If(t, err)
	tells(t, is(t, p.Free(b[:size-1]), poolrt.ErrForeign), "handed out with 40 bytes, and freed with 39")
}

func TestOneOfSimultaneousFreesSucceeds(t *testing.T) {
	forms.Each(t, func(t *testing.T, p forms.Pool) {
		if strings.Contains(p.Name, "none") {
			t.Skip("for one goroutine")
		}
		for range 200 {
			b := p.Take(t)
			var freed, refused int
			var mu sync.Mutex
			var both sync.WaitGroup
			for range 3 {
				both.Go(func() {
					err := p.Free(b)
					mu.Lock()
					defer mu.Unlock()
					if err == nil {
						freed++
					} else if errors.Is(err, poolrt.ErrDoubleFree) {
						refused++
					} else {
						t.Error(err)
					}
				})
			}
			if both.Wait(); freed != 1 || refused != 2 {
				t.Fatalf("%d freed it, %d were refused", freed, refused)
			}
		}
	})
}

func TestStaleRefIsRefused(t *testing.T) {
	p := new(pools.HeapPool)
	r, err := p.AllocRef(size)
	fatal.If(t, err)
	stale := new(pools.HeapRef)
	reflect.ValueOf(stale).Elem().Set(reflect.ValueOf(&r).Elem()) // the misuse that is tested
	fatal.If(t, r.Release())
	p.Stats() // empties the quarantine
	next, err := p.Alloc(size)
	fatal.If(t, err)
	if stale.Get() != nil {
		t.Error("a stale Ref has a block")
	}
	tells(t, is(t, stale.Release(), poolrt.ErrDoubleFree), "a copy of the Ref was released")
	if err := p.Free(next); err != nil {
		t.Error(err)
	}
}

// A call of a pool without a lock is refused while another goroutine is in a call.
func TestCallDuringACallIsRefused(t *testing.T) {
	p := new(pools.AlonePool)
	var inner error
	defer poolrt.OnEvent(func(e poolrt.Event) {
		var other sync.WaitGroup
		other.Go(func() { _, inner = p.Alloc() })
		other.Wait()
	})()
	b, err := p.Alloc() // the event of its growth comes before it returns
	fatal.If(t, err)
	tells(t, is(t, inner, poolrt.ErrOwner), "a call that has not returned yet was made", "and this one", "TestCallDuringACallIsRefused")
	done := make(chan error)
	go func() { done <- p.Free(b) }() // a pool without a lock may be passed to another goroutine
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestFramesAreCheckedAtRelease(t *testing.T) {
	p := new(pools.FramePool)
	if _, err := p.Alloc(size); err != nil {
		t.Fatal(err)
	}
	mark := p.Mark()
	b, err := p.Alloc(size)
	fatal.If(t, err)
	*beyond(b, size) = 0x33
	tells(t, is(t, p.Release(mark), poolrt.ErrCorrupt), "1 byte behind the block", "TestFramesAreCheckedAtRelease")
	if leaks := p.Leaks(); len(leaks) != 1 || leaks[0].Bytes != size {
		t.Errorf("left: %v", leaks)
	}
	if b[0] != 0xDD {
		t.Errorf("% x is not the pattern of free memory", b[0])
	}
	if err := p.Reset(); err != nil || len(p.Leaks()) != 0 {
		t.Errorf("%v, %d left", err, len(p.Leaks()))
	}
}

// A borrowed block is checked by the pool that it comes from.
func TestBorrowedBlocksAreChecked(t *testing.T) {
	p := new(pools.BorrowerPool)
	var blocks [][]byte
	for range 2 { // the second is not the pool's own
		b, err := p.Alloc(50000)
		fatal.If(t, err)
		blocks = append(blocks, b)
	}
	*beyond(blocks[1], 50000) = 0x44
	is(t, p.Free(blocks[1]), poolrt.ErrCorrupt)
	is(t, p.Free(blocks[1]), poolrt.ErrDoubleFree)
	if err := p.Free(blocks[0]); err != nil {
		t.Error(err)
	}
}

// The limit is the same as without the tag: neither red zones nor the quarantine count.
func TestLimitIsExact(t *testing.T) {
	p := new(pools.ItemPool)
	fill := func() (n int) {
		for {
			b, err := p.Alloc()
			if err != nil {
				is(t, err, poolrt.ErrLimit)
				return n
			}
			defer func() {
				if err := p.Free(b); err != nil {
					t.Error(err)
				}
			}()
			n++
		}
	}
	for range 3 {
		if n := fill(); n != 2*(64<<10/size) {
			t.Fatalf("%d blocks", n)
		}
	}
}
