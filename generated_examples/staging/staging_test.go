package staging

import (
	"errors"
	"fmt"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// A producer fills buffers, a consumer takes them away and frees them: the pool turns 25 MB over in 2 MiB.
func Example() {
	full := make(chan []byte, 8)
	done := make(chan int)
	go func() {
		sum := 0
		for b := range full {
			sum += len(b)
			if err := FreeStaging(b); err != nil {
				fmt.Println(err)
			}
		}
		done <- sum
	}()
	for range 1000 {
		b, err := AllocStaging(25_000) // waits when the consumer is behind
		if err != nil {
			fmt.Println(err)
			break
		}
		b[0] = 1
		full <- b
	}
	close(full)
	fmt.Println(<-done, DefaultStagingPool().Stats().PeakReserved <= 2<<20)
	// Output: 25000000 true
}

// Buffers may come back in any order, and a request that is too large does no harm to others.
func TestAnyOrder(t *testing.T) {
	p, err := NewStagingPool()
	if err != nil {
		t.Fatal(err)
	}
	var live [][]byte
	for i := range 500 {
		b, err := p.Alloc(1 + i*97%30_000)
		if err != nil {
			t.Fatal(err)
		}
		live = append(live, b)
		if _, err := p.Alloc(3 << 20); !errors.Is(err, poolrt.ErrTooLarge) {
			t.Fatalf("more than an arena: %v", err)
		}
		if len(live) > 20 {
			k := (i * 7) % len(live)
			if err := p.Free(live[k]); err != nil {
				t.Fatal(err)
			}
			live = append(live[:k], live[k+1:]...)
		}
	}
	for _, b := range live {
		if err := p.Free(b); err != nil {
			t.Error(err)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
