// Package streamcache shows a cache of device memory by size classes, in the order of streams: what a stream frees it gets again at once,
// without a call of the driver and while its work is still under way; another stream gets it only behind that work.
//
// The tests run on a GPU, and without one on the simulated driver:
//
//	go test -tags cudasim ./generated_examples/streamcache
package streamcache

import (
	"errors"
	"fmt"

	"github.com/poolgen/poolgen/cuda"
)

// sizes are what a round asks for, in bytes.
var sizes = [...]int{1 << 10, 100_000, 1 << 20, 3 << 20}

// Work runs rounds on a stream. Each takes a buffer of each size, fills it and frees it, all in the order of the stream: Work returns long
// before the last buffer is filled. Streams of other goroutines may be at work in the same pool.
func Work(p *BufferPool, s cuda.Stream, rounds int) error {
	for round := range rounds {
		for _, n := range sizes {
			b, err := p.AllocOn(n, s)
			if err != nil {
				return fmt.Errorf("round %d: %w", round, err)
			}
			err = cuda.MemsetAsync(b.Addr(), byte(round), b.Bytes(), s)
			if err := errors.Join(err, p.FreeOn(b, s)); err != nil {
				return fmt.Errorf("round %d: %w", round, err)
			}
		}
	}
	return nil
}
