package pooltest

import (
	"errors"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Open gets a pool that was not used ready for a test, which it skips where the pool cannot have its memory. The pool is closed at its end.
func Open[B any](t testing.TB, p Pool[B]) *Pool[B] {
	t.Helper()
	t.Cleanup(func() { _ = p.Whole.CloseForce() })
	if p.Room > mostRoom {
		t.Skipf("the pool takes at least %d bytes at a time", p.Room)
	}
	if p.Whole.Stats().Limit > p.Room { // before the pool looks how much it might have to map
		if err := p.Whole.SetLimit(p.Room); err != nil {
			t.Fatal(err)
		}
	}
	if allocator, why := p.Whole.Effective(); allocator == "" {
		t.Skip(why)
	}
	if p.Track != nil {
		if err := p.Track(firstNumber, uint64(min(p.Whole.Stats().Limit, p.Room))); err != nil {
			t.Fatal(err)
		}
	}
	block, err := p.Alloc(1)
	switch {
	case err == nil:
	case errors.Is(err, poolrt.ErrUnsupported), errors.Is(err, poolrt.ErrOutOfMemory), p.Shares && errors.Is(err, poolrt.ErrLimit):
		t.Skip(err)
	default:
		t.Fatal(err)
	}
	if err := p.giveBack(block); err != nil {
		t.Fatal(err)
	}
	return &p
}

// mostRoom is more than a test should have a pool reserve.
const mostRoom = 256 << 20

// giveBack frees the only block.
func (p *Pool[B]) giveBack(block B) error {
	if p.Free != nil {
		return p.Free(block)
	}
	return p.Reset()
}

// Warm makes the pool grow until it has room for so many blocks of n items, and leaves it without a live one. Where its limit is
// below that, the benchmark is skipped.
func (p *Pool[B]) Warm(b *testing.B, blocks, n int) {
	b.Helper()
	var live []B
	for range blocks {
		block, err := p.AllocContext(expired, n)
		if err != nil {
			break
		}
		live = append(live, block)
	}
	if p.Free == nil {
		if err := p.Reset(); err != nil {
			b.Fatal(err)
		}
	} else {
		for _, block := range live {
			if err := p.Free(block); err != nil {
				b.Fatal(err)
			}
		}
	}
	if len(live) < blocks {
		b.Skipf("the pool has room for %d blocks of %d items; %d are measured", len(live), n, blocks)
	}
}
