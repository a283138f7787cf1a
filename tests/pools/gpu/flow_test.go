//go:build !cudasim

package gpu

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/tests/pools/streams/pools"
)

func TestP7RingFreeAsync(t *testing.T)  { flow(t, pools.RingFreeAsync) }
func TestP8AllocFreeAsync(t *testing.T) { flow(t, pools.AllocFreeAsync) }

// flow has kernels fill and verify page-locked memory that goes through a ring.
func flow(t *testing.T, run func(cuda.Stream, func([]byte) error) error) {
	l := newLab(t, 0)
	s := l.streams(1)[0]
	serial := byte(0)
	l.ok("run", run(s, func(b []byte) error {
		serial++
		at := cuda.AddressOf(b)
		l.write(at, int64(len(b)), serial, s)
		l.expect(at, int64(len(b)), serial, s)
		return nil
	}))
}
