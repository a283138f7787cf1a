//go:build !pooltrace

package profile

import (
	"errors"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// wants fails the test unless an error matches another.
func wants(t testing.TB, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Fatalf("got %v, want %v", err, target)
	}
}

// sampled adds up the live blocks that were sampled.
func sampled(p poolrt.Watched) (blocks, bytes int64) {
	for _, l := range p.Leaks() {
		blocks, bytes = blocks+l.Count, bytes+l.Bytes
	}
	return blocks, bytes
}

// A free of a sampled block that is refused gets the error that it gets without a profile, and changes nothing; a second free finds no sample.
func TestRefusedFrees(t *testing.T) {
	for _, f := range large() {
		t.Run(f.name, func(t *testing.T) {
			if f.free == nil {
				t.Skip("freed all at once")
			}
			n := f.sizes[0]
			a, b := f.take(t, n), f.take(t, n)
			wrong := [][]byte{a[1:], make([]byte, n), nil}
			if !f.cells {
				wrong = append(wrong, a[:0], a[:n/2])
			}
			for _, w := range wrong {
				wants(t, f.free(w), poolrt.ErrForeign)
			}
			if blocks, bytes := sampled(f); blocks != 2 || bytes != 2*int64(n) {
				t.Errorf("after refused frees %d blocks of %d bytes are sampled", blocks, bytes)
			}
			fatal.If(t, f.free(a))
			wants(t, f.free(a), poolrt.ErrInvalidFree)
			if blocks, bytes := sampled(f); blocks != 1 || bytes != int64(n) || f.Stats().Live != 1 {
				t.Errorf("after a second free %d blocks of %d bytes are sampled", blocks, bytes)
			}
			fatal.If(t, f.free(b))
			fatal.If(t, f.Close())
			wants(t, f.free(b), poolrt.ErrClosed)
		})
	}
}

// What frees many blocks at once ends their samples, and no others.
func TestFreedAtOnce(t *testing.T) {
	const n = 16 * mib
	p := new(BumpNonePool)
	take := func(times int) {
		for range times {
			_, err := p.Alloc(n)
			fatal.If(t, err)
		}
	}
	take(2)
	mark := p.Mark()
	take(5)
	holds(t, "BumpNone", figures{7, 7 * n, 7, 7 * n})
	fatal.If(t, p.Release(mark))
	holds(t, "BumpNone", figures{7, 7 * n, 2, 2 * n})
	take(1)
	fatal.If(t, p.Reset())
	wants(t, p.Release(mark), poolrt.ErrForeign)
	take(1)
	holds(t, "BumpNone", figures{9, 9 * n, 1, n})
	fatal.If(t, p.Close())

	q := new(HeapMutexPool)
	hold := func(times int) {
		for range times {
			_, err := q.Alloc(n)
			fatal.If(t, err)
		}
	}
	hold(3)
	fatal.If(t, q.Reset())
	hold(1)
	holds(t, "HeapMutex", figures{4, 4 * n, 1, n})
	wants(t, q.Close(), poolrt.ErrLive)
	holds(t, "HeapMutex", figures{4, 4 * n, 1, n})
	fatal.If(t, q.CloseForce())
	if got := read(t); len(got) > 0 || len(q.Leaks()) > 0 {
		t.Errorf("a closed pool has %v and %v", got, q.Leaks())
	}

}

// A block that a pool borrows counts in the pool that lends it, until it goes back by whatever way.
func TestBorrowedBlocks(t *testing.T) {
	const n = 16 * mib
	p, lender := new(NarrowPool), &heapMutexDefault
	borrow := func() []byte {
		b, err := p.Alloc(n)
		fatal.If(t, err)
		return b
	}
	a, b := borrow(), borrow()
	holds(t, "Narrow", figures{})
	holds(t, "HeapMutex", figures{2, 2 * n, 2, 2 * n})
	fatal.If(t, p.Free(a))
	fatal.If(t, lender.Free(b))
	holds(t, "HeapMutex", figures{2, 2 * n, 0, 0})
	_ = borrow()
	fatal.If(t, p.CloseForce())
	holds(t, "HeapMutex", figures{3, 3 * n, 0, 0})
	fatal.If(t, lender.Close())
}
