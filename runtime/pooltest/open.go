package pooltest

import (
	"errors"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Open prepares a new pool for a test: it sets the limit, and allocates and frees a first block. If the memory of the pool is not available, Open skips the test. The
// pool is closed when the test ends.
func Open[B any](t testing.TB, p Pool[B]) *Pool[B] {
	t.Helper()
	t.Cleanup(func() { _ = p.Whole.CloseForce() })
	if p.Room > mostRoom {
		t.Skipf("the pool takes at least %d bytes at a time", p.Room)
	}
	if p.Whole.Stats().Limit > p.Room { // before the pool reserves addresses for all of its limit
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

// mostRoom is the largest limit that a test sets.
const mostRoom = 256 << 20

// giveBack frees the only live block.
func (p *Pool[B]) giveBack(block B) error {
	if p.Free != nil {
		return p.Free(block)
	}
	return p.Reset()
}

// Warm makes the pool grow until it has room for the given number of blocks of n items. All blocks are free afterwards. If the limit of the pool is too low, Warm skips
// the benchmark.
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
