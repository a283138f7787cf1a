package frame

import (
	"errors"
	"fmt"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

func Example() {
	p := DefaultScratchPool()
	for frame := range 2 {
		visible, err := AllocScratch(1000)
		if err != nil {
			fmt.Println(err)
			return
		}
		mark := p.Mark()
		for range 3 { // passes that use the same memory one after the other
			if _, err := AllocScratch(100_000); err != nil {
				fmt.Println(err)
				return
			}
			if err := p.Release(mark); err != nil {
				fmt.Println(err)
				return
			}
		}
		fmt.Println(frame, len(visible), p.Stats().Chunks)
		if err := p.Reset(); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// 0 1000 1
	// 1 1000 1
}

// A mark does not outlive a Reset.
func TestStaleMarkIsRefused(t *testing.T) {
	p, err := NewScratchPool()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Alloc(100); err != nil {
		t.Fatal(err)
	}
	mark := p.Mark()
	if err := p.Reset(); err != nil {
		t.Fatal(err)
	}
	if err := p.Release(mark); !errors.Is(err, poolrt.ErrForeign) {
		t.Errorf("Release of a stale mark: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// What no chunk can hold is too large, now and always; what does not fit now hits the limit.
func TestLimits(t *testing.T) {
	p, err := NewScratchPool()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Alloc(256<<10 + 1); !errors.Is(err, poolrt.ErrTooLarge) {
		t.Errorf("more than a chunk: %v", err)
	}
	for range 4 {
		if _, err := p.Alloc(256 << 10); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Alloc(1); !errors.Is(err, poolrt.ErrLimit) {
		t.Errorf("beyond the limit: %v", err)
	}
	if err := p.Close(); err != nil { // bump pools close even if blocks are handed out
		t.Error(err)
	}
}
