package conformance

import (
	"context"
	"errors"
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// A second free is distinguished from a free of a foreign block even if each block is a chunk of its own, which the first free released.
func TestDirectDoubleFree(t *testing.T) {
	p := must[*DirectPool](t)(NewDirectPool())
	b := must[[]byte](t)(p.Alloc(100 * kib))
	want(t, p.Free(b[1:]), poolrt.ErrForeign)
	want(t, p.Free(b), nil)
	want(t, p.Free(b), poolrt.ErrDoubleFree)
	want(t, p.Free(make([]byte, 100)), poolrt.ErrForeign)
}

// A nil function and a second release are refused with an error, and no block leaks.
func TestNilFunctionAndSecondRelease(t *testing.T) {
	items, spans := must[*ItemPool](t)(NewItemPool()), must[*HeapPool](t)(NewHeapPool())
	itemRef, spanRef := must[ItemRef](t)(items.AllocRef()), must[HeapRef](t)(spans.AllocRef(10))
	want(t, itemRef.Release(), nil)
	want(t, spanRef.Release(), nil)
	var noItem ItemRef
	for _, err := range []error{items.With(nil), spans.With(10, nil), itemRef.Release(), spanRef.Release(), noItem.Release()} {
		var failed *poolrt.PoolError
		if !errors.As(err, &failed) || !errors.Is(err, poolrt.ErrNoFunc) && !errors.Is(err, poolrt.ErrDoubleFree) {
			t.Errorf("got %v", err)
		}
	}
	want(t, items.Close(), nil)
	want(t, spans.Close(), nil)
}

// A batch that fails leaves no block live, and no more chunks than before.
func TestFailedBatchChangesNothing(t *testing.T) {
	p := must[*BlockPool](t)(NewBlockPool())
	want(t, p.Free(must[*BlockBlock](t)(p.Alloc())), nil)
	before := p.Stats()
	batch := make([]*BlockBlock, 2000)
	n, err := p.AllocBatch(batch)
	want(t, err, poolrt.ErrLimit)
	s := p.Stats()
	if n != 0 || s.Reserved != before.Reserved || s.Chunks != before.Chunks || s.Live != 0 || s.Allocs != before.Allocs {
		t.Errorf("%d blocks; before %+v, after %+v", n, before, s)
	}
	for _, b := range batch {
		if b != nil {
			t.Fatal("dst is not cleared")
		}
	}
}

// The end of a context ends a wait for live blocks. The error matches the context's error and ErrLimit.
func TestContextEndsTheWait(t *testing.T) {
	p := must[*TurnPool](t)(NewTurnPool())
	b := must[[]byte](t)(p.Alloc(60 * kib))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := p.AllocContext(ctx, 60*kib)
	want(t, err, poolrt.ErrLimit)
	want(t, err, context.DeadlineExceeded)
	want(t, p.Free(b), nil)
}
