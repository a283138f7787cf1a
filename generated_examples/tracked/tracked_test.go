package tracked

import (
	"errors"
	"fmt"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

func Example() {
	if err := TrackSlot(100, 2); err != nil {
		fmt.Println(err)
		return
	}
	a, _ := AllocSlot()
	b, _ := AllocSlot()
	_, err := AllocSlot()
	fmt.Println(a, b, errors.Is(err, poolrt.ErrLimit))
	fmt.Println(errors.Is(UntrackSlot(100, 2), poolrt.ErrLive))
	fmt.Println(FreeSlot(a), FreeSlot(b), UntrackSlot(100, 2))
	// Output:
	// 100 101 true
	// true
	// <nil> <nil> <nil>
}

func ExampleAllocPage() {
	if err := TrackPage(0, 1<<20); err != nil {
		fmt.Println(err)
		return
	}
	run, err := AllocPage(16)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(run.Len(), run.At(15)-run.First(), FreePage(run))
	// Output: 16 15 <nil>
}

// Ranges must not overlap, and count against the limit.
func TestTrackRefuses(t *testing.T) {
	p, err := NewSlotPool()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		first, n uint64
		want     error
	}{
		{0, 1000, nil},
		{999, 1, poolrt.ErrBadSize},
		{5000, 0, poolrt.ErrBadSize},
		{^uint64(0), 2, poolrt.ErrBadSize},
		{1000, 3097, poolrt.ErrLimit},
		{1000, 3096, nil},
	} {
		if err := p.Track(c.first, c.n); !errors.Is(err, c.want) {
			t.Errorf("Track(%d, %d): %v, want %v", c.first, c.n, err, c.want)
		}
	}
	if err := p.Untrack(0, 999); !errors.Is(err, poolrt.ErrForeign) {
		t.Errorf("Untrack of a part: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
