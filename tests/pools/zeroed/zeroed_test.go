package zeroed

import (
	"bytes"
	"errors"
	"testing"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// large is the length of the blocks: as long as those of the pools of one size.
const large = 32 << 20

// pool is a pool as one of bytes.
type pool struct {
	alloc       func(n int) ([]byte, error)
	free        func([]byte) error // nil: reset frees the blocks
	reset, stop func() error       // reset is nil if the pool has none
}

// of returns a pool of bytes.
func of(p interface{ Alloc(int) ([]byte, error) }) pool {
	q := pool{alloc: p.Alloc}
	if r, ok := p.(interface{ Reset() error }); ok {
		q.reset = r.Reset
	}
	if f, ok := p.(interface {
		Free([]byte) error
		CloseForce() error
	}); ok {
		q.free, q.stop = f.Free, f.CloseForce
	} else {
		q.stop = p.(interface{ Close() error }).Close
	}
	return q
}

// ofFixed returns a pool of blocks of one size.
func ofFixed[B ~[large]byte](alloc func() (*B, error), free func(*B) error, stop func() error) pool {
	some := func(int) ([]byte, error) {
		b, err := alloc()
		if err != nil {
			return nil, err
		}
		return (*b)[:], nil
	}
	return pool{some, func(b []byte) error { return free((*B)(unsafe.Pointer(&b[0]))) }, nil, stop}
}

// pools returns new pools by name.
func pools() map[string]pool {
	one, shared := new(FixedPool), new(SharedFixedPool)
	return map[string]pool{
		"heap": of(new(HeapPool)), "shared heap": of(new(SharedHeapPool)), "own heap": of(new(OwnHeapPool)),
		"binned": of(new(BinnedPool)), "shared binned": of(new(SharedBinnedPool)),
		"classes": of(new(ClassesPool)), "shared classes": of(new(SharedClassesPool)),
		"bump": of(new(BumpPool)), "shared bump": of(new(SharedBumpPool)),
		"ring": of(new(RingPool)), "shared ring": of(new(SharedRingPool)), "none": of(new(DirectPool)),
		"fixed":        ofFixed(one.Alloc, one.Free, one.CloseForce),
		"shared fixed": ofFixed(shared.Alloc, shared.Free, shared.CloseForce),
	}
}

func must(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

// dirty writes to each page of a block and frees it. It returns the block.
func (p pool) dirty(t *testing.T) []byte {
	t.Helper()
	b, err := p.alloc(large)
	fatal.If(t, err)
	for i := 0; i < large; i += 4096 {
		b[i] = 1
	}
	if p.free != nil {
		must(t, "free", p.free(b))
	} else {
		must(t, "reset", p.reset())
	}
	return b
}

// A block is zero, whether its place was used before or not.
func TestBlocksAreZero(t *testing.T) {
	zero := make([]byte, large)
	for name, p := range pools() {
		p.dirty(t)
		if b, err := p.alloc(large); err != nil || !bytes.Equal(b, zero) {
			t.Errorf("%s: %v, or a block is not zero", name, err)
		}
		must(t, name, p.stop())
	}
}

// peek reads a byte that another goroutine may be writing.
//
//go:noinline
//go:norace
func peek(p *byte) byte { return *p }

// An allocation that is clearing its block when all blocks are freed, or the pool is closed, has done so when
// that call returns.
func TestClearEndsFirst(t *testing.T) {
	for _, how := range []string{"reset", "close"} {
		for name, p := range pools() {
			end := p.stop
			if how == "reset" {
				end = p.reset
			}
			if end == nil || name == "own heap" || name == "none" { // the last has other memory each time
				continue
			}
			place := p.dirty(t)
			done := make(chan error, 1)
			go func() {
				_, err := p.alloc(large)
				done <- err
			}()
			for peek(&place[0]) != 0 && len(done) == 0 {
			}
			if err := end(); !errors.Is(err, poolrt.ErrLive) { // a ring keeps live blocks
				must(t, name+": "+how, err)
			}
			// The last bytes of a block may be cleared first.
			if how == "reset" && peek(&place[0]) == 0 && peek(&place[large-4096]) != 0 {
				t.Errorf("%s: a block is being cleared after Reset", name)
			}
			if err := <-done; !errors.Is(err, poolrt.ErrClosed) {
				must(t, name+": alloc", err)
			}
			must(t, name, p.stop())
		}
	}
}
