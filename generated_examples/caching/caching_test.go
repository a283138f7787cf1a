package caching

import (
	"errors"
	"fmt"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

func Example() {
	for range 100 {
		a, errA := AllocTensor(1000)
		b, errB := AllocTensor(250_000)
		if err := errors.Join(errA, errB); err != nil {
			fmt.Println(err)
			return
		}
		a[0], b[0] = 1, 2
		if err := errors.Join(FreeTensor(a), FreeTensor(b)); err != nil {
			fmt.Println(err)
			return
		}
	}
	s := DefaultTensorPool().Stats()
	fmt.Println(s.Allocs, s.Live, s.Chunks, s.Cached > 0)
	// Output: 200 0 1 true
}

// Cached memory is given back by Trim, and the pool goes on.
func TestTrimThenAlloc(t *testing.T) {
	p, err := NewTensorPool()
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.Alloc(1000)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Free(b); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Trim(0); err != nil {
		t.Fatal(err)
	}
	if s := p.Stats(); s.Reserved != 0 || s.Cached != 0 {
		t.Errorf("after Trim: Reserved %d, Cached %d", s.Reserved, s.Cached)
	}
	if b, err = p.Alloc(1000); err != nil {
		t.Fatal(err)
	}
	if s := p.Stats(); s.Live != 1 {
		t.Errorf("Live %d", s.Live)
	}
	if err := p.Close(); !errors.Is(err, poolrt.ErrLive) {
		t.Errorf("Close with a live block: %v", err)
	}
	if err := errors.Join(p.Free(b), p.Close()); err != nil {
		t.Error(err)
	}
}
