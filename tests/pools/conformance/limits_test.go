package conformance

import (
	"bytes"
	"errors"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// X1: the limit is hard. A request of 16 MiB from a pool of 1 MiB fails, and nothing is reserved. As no state of the pool could serve it, the
// reason is ErrTooLarge. A smaller request at the limit fails with ErrLimit.
func TestX1HardLimit(t *testing.T) {
	p := must[*SmallPool](t)(NewSmallPool())
	_, err := p.Alloc(16 * mib)
	want(t, err, poolrt.ErrTooLarge)
	if s := p.Stats(); s.Reserved != 0 || s.Failures != 1 {
		t.Fatalf("%+v", s)
	}
	_, err = fill(func() ([]byte, error) { return p.Alloc(10 * kib) })
	want(t, err, poolrt.ErrLimit)
	if s := p.Stats(); s.Reserved > mib || s.PeakReserved > mib {
		t.Errorf("%+v", s)
	}
}

// X2: a request that no chunk could serve fails without growing the pool, however often it is made.
func TestX2ImpossibleRequests(t *testing.T) {
	ring := must[*RingPool](t)(NewRingPool())
	small := must[*SmallPool](t)(NewSmallPool())
	frame := must[*FramePool](t)(NewFramePool())
	for range 20 {
		_, err := ring.Alloc(mib + 1) // larger than the arena
		want(t, err, poolrt.ErrTooLarge)
		_, err = frame.Alloc(64*kib + 1) // larger than the chunk
		want(t, err, poolrt.ErrTooLarge)
		_, err = small.AllocAligned(1, 128*kib) // alignment larger than the chunk
		want(t, err, poolrt.ErrBadAlignment)
		_, err = small.Alloc(mib + 1) // larger than the limit
		want(t, err, poolrt.ErrTooLarge)
	}
	if n := ring.Stats().Reserved + frame.Stats().Reserved + small.Stats().Reserved; n != 0 {
		t.Errorf("%d bytes reserved", n)
	}
	// A request whose alignment a chunk may not have does not cost a chunk of its own.
	for range 16 {
		b := must[[]byte](t)(small.AllocAligned(4*kib, 4*kib))
		defer func() { want(t, small.Free(b), nil) }()
	}
	if s := small.Stats(); s.Chunks != 1 {
		t.Errorf("%d chunks for blocks that fit one", s.Chunks)
	}
}

// X6: each failure is an error with its reason and the pool's figures, never a special address.
func TestX6Reasons(t *testing.T) {
	p := must[*SmallPool](t)(NewSmallPool(poolrt.WithName("mine"), poolrt.WithLimit(128*kib)))
	live := must[[]byte](t)(p.Alloc(100 * kib))
	reasons := []struct {
		err, reason error
	}{
		{second(p.Alloc(100 * kib)), poolrt.ErrLimit},
		{second(p.Alloc(129 * kib)), poolrt.ErrTooLarge},
		{second(p.AllocAligned(1, 3)), poolrt.ErrBadAlignment},
		{second(p.Alloc(-1)), poolrt.ErrBadSize},
		{p.Free(live[:10]), poolrt.ErrForeign},
		{p.Close(), poolrt.ErrLive},
	}
	for _, r := range reasons {
		var e *poolrt.PoolError
		if !errors.Is(r.err, r.reason) || !errors.As(r.err, &e) {
			t.Fatalf("got %v, want %v", r.err, r.reason)
		}
		if e.Pool != "mine" || e.Live != 100*kib || e.Limit != 128*kib || e.Reserved < 100*kib {
			t.Errorf("%+v", e)
		}
		for _, other := range reasons {
			if other.reason != r.reason && errors.Is(r.err, other.reason) {
				t.Errorf("%v matches %v too", r.err, other.reason)
			}
		}
	}
	want(t, p.Free(live), nil)
}

func second[T any](_ T, err error) error { return err }

// X7: a block has at least one byte.
func TestX7Zero(t *testing.T) {
	p := must[*SmallPool](t)(NewSmallPool())
	for _, n := range []int{0, -1, -1 << 62} {
		b, err := p.Alloc(n)
		want(t, err, poolrt.ErrBadSize)
		_, err = p.AllocAligned(n, 16)
		want(t, err, poolrt.ErrBadSize)
		_, err = p.AllocContext(t.Context(), n)
		want(t, err, poolrt.ErrBadSize)
		if _, ok := p.TryAlloc(n); ok || b != nil {
			t.Errorf("got a block of %d bytes", n)
		}
	}
	if s := p.Stats(); s.Reserved != 0 || s.Failures != 9 {
		t.Errorf("%+v", s)
	}
}

// X9: adjacent chunks never merge: a row that would span two ranges is refused, and removing one of them leaves the other.
func TestX9Neighbours(t *testing.T) {
	p := must[*NumberPool](t)(NewNumberPool())
	want(t, p.Track(1000, 100), nil)
	want(t, p.Track(1100, 100), nil)
	_, err := p.Alloc(101)
	want(t, err, poolrt.ErrLimit)
	a, b := must[NumberIDs](t)(p.Alloc(100)), must[NumberIDs](t)(p.Alloc(100))
	want(t, p.Free(a), nil)
	want(t, p.Free(b), nil)
	_, err = p.Alloc(101)
	want(t, err, poolrt.ErrLimit)
	want(t, p.Untrack(1000, 100), nil)
	if ids := must[NumberIDs](t)(p.Alloc(100)); ids.First() != 1100 {
		t.Errorf("got %d", ids.First())
	}
	if s := p.Stats(); s.Reserved != 100 || s.Chunks != 1 || s.LargestFree != 0 {
		t.Errorf("%+v", s)
	}
}

// X10: Trim releases only chunks without a live block, whatever its argument.
func TestX10TrimSparesLiveBlocks(t *testing.T) {
	p := must[*SmallPool](t)(NewSmallPool())
	blocks, _ := fill(func() ([]byte, error) { return p.Alloc(16 * kib) })
	for i, b := range blocks {
		for k := range b {
			b[k] = byte(i)
		}
		if i%8 != 3 { // one live block in every other chunk
			want(t, p.Free(b), nil)
		}
	}
	n := must[int64](t)(p.Trim(0))
	if s := p.Stats(); n != mib/2 || s.Reserved != mib/2 || s.Chunks != 8 {
		t.Errorf("%d released, %+v", n, s)
	}
	for i := 3; i < len(blocks); i += 8 {
		if b := blocks[i]; bytes.Count(b, []byte{byte(i)}) != len(b) {
			t.Errorf("block %d was written to", i)
		}
		want(t, p.Free(blocks[i]), nil)
	}
}

// X13: a large request that a ring cannot serve does not affect small ones.
func TestX13RingSurvivesLargeRequest(t *testing.T) {
	p := must[*RingPool](t)(NewRingPool(poolrt.WithLimit(mib)))
	b := must[[]byte](t)(p.Alloc(kib))
	for range 3 {
		_, err := p.Alloc(mib)
		want(t, err, poolrt.ErrLimit)
		_, err = p.Alloc(2 * mib)
		want(t, err, poolrt.ErrTooLarge)
	}
	for range 100 {
		want(t, p.Free(must[[]byte](t)(p.Alloc(kib))), nil)
	}
	if s := p.Stats(); s.Chunks != 1 {
		t.Errorf("%+v", s)
	}
	want(t, p.Free(b), nil)
	want(t, p.Free(must[[]byte](t)(p.Alloc(mib))), nil)
}
