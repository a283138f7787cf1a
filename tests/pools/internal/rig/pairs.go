//go:build cudasim

package rig

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Pair is two calls of the driver that fail, each counted among all calls of the program. The zero Pair is none.
type Pair struct{ First, Second int }

// Play runs a program on a new machine with a pair of faults, and reports whether both calls were made. Nothing may remain at the end.
func (p Pair) Play(t *testing.T, machine sim.Config, program func(*Run)) (came bool) {
	t.Helper()
	const unknown = 999
	sim.Reset(machine)
	before := sim.Calls("")
	if p != (Pair{}) {
		sim.Fail("", p.First, unknown)
		sim.Fail("", p.Second, unknown)
	}
	program(&Run{T: t, faults: 2})
	came = sim.Calls("")-before >= p.Second
	for _, l := range append(sim.Leaks(), sim.BadReleases()...) {
		t.Error(l)
	}
	return came
}

// EachPair plays with pairs of calls that fail, and returns their number: with each pair of neighbours, and with every nth of the others. It ends the test at the
// first error. With the flag -pairs.all, it plays with all pairs. Debug builds play with a quarter of the others: calls take three times as long there, and what the driver
// says is handled by the same code.
func EachPair(t *testing.T, name string, every int, play func(*testing.T, Pair) bool) (pairs int) {
	t.Helper()
	switch {
	case *AllPairs:
		every = 1
	case poolrt.Debug:
		every *= 4
	}
	play(t, Pair{})
	turn := 0
	for first := 1; ; first++ {
		for second := first + 1; ; second++ {
			if turn++; turn%every != 0 && second > first+1 {
				continue
			}
			came := false
			if !t.Run(fmt.Sprintf("%s %d %d", name, first, second), func(t *testing.T) { came = play(t, Pair{first, second}) }) {
				t.FailNow()
			}
			if !came && second == first+1 {
				return pairs
			}
			if !came {
				break
			}
			pairs++
		}
	}
}

// Pairs runs a program of few calls, of each kind, on new pools while pairs of calls of the driver fail: each pair of neighbours, and every nth of the others. What
// could not be given back is tried again, so nothing is lost. sizes are those of two blocks, in bytes; they have a default.
func Pairs(t *testing.T, machine sim.Config, every int, pools map[string]func() any, sizes ...int) {
	t.Helper()
	if sizes == nil {
		sizes = []int{1000, 60 << 10}
	}
	pairs := 0
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		pairs += EachPair(t, name, every, func(t *testing.T, p Pair) bool {
			s := SubjectOf(pools[name]())
			return p.Play(t, machine, func(r *Run) { (&pairing{r, s}).program(sizes) })
		})
	}
	t.Logf("%d pairs of calls failed", pairs)
}

// pairing is a run of the program for pairs of faults. Nothing but the pool needs the driver to work.
type pairing struct {
	*Run
	Subject
}

func (r *pairing) program(sizes []int) {
	var held []any
	for _, n := range sizes {
		r.Try("alloc", func() error {
			b, err := r.Take("Alloc", n)
			if err == nil {
				held = append(held, b)
			}
			return err
		})
	}
	for i, b := range held {
		if r.Has("Free") {
			r.give(fmt.Sprint("free of block ", i), "Free", b)
		}
	}
	if r.Has("Reset") {
		r.Try("reset", func() error { return r.Do("Reset") })
	}
	if r.Has("FreeAsync") {
		r.onStreams(sizes[0])
	}
	for i := 0; r.Stats().Pending > 0 && i < 1000; i++ {
		r.Poll()
	}
	r.Try("trim", func() error { return r.Do("Trim", int64(0)) })
	if s := r.Stats(); s.Live != 0 || s.Reserved != s.UnreturnedBytes {
		r.Errorf("after trim: %+v", s)
	}
	_, _ = r.Take("Alloc", sizes[0]) // Close then has to release a chunk
	if r.Has("FreeAsync") {
		r.onStreams(sizes[0]) // and has to wait for streams that are gone
	}
	r.Try("close", func() error { return r.Do("CloseForce") })
	if s := r.Stats(); s.Unreturned != 0 || s.Reserved != 0 {
		r.Errorf("after close: %+v", s)
	}
}

// onStreams has two streams use blocks in turn, and closes the streams.
func (r *pairing) onStreams(size int) {
	var streams [2]cuda.Stream
	for i := range streams {
		r.Try("stream", func() (err error) { streams[i], err = cuda.Device(0).NewStream(cuda.NonBlocking); return err })
	}
	for _, i := range []int{0, 0, 1} { // the second one reuses the block of the first at once, the third may have to wait
		s := streams[i]
		var b any
		r.Try("alloc on", func() (err error) {
			if !r.Has("AllocOn") { // a deferred pool: only frees wait for a stream
				b, err = r.Take("Alloc", size)
				return err
			}
			b, err = r.Take("AllocOn", size, s)
			return err
		})
		Work(b, s)
		r.give("free on a stream", "FreeAsync", b, s)
		r.Poll()
	}
	for _, s := range streams {
		r.Try("stream close", s.Close)
	}
}

// give checks that a free succeeds whatever the driver does. Only a pool that gives each block to the driver at its free may fail to: then the block is live, and
// can be freed again.
func (r *pairing) give(what, method string, args ...any) {
	r.Helper()
	live := r.Stats().Live
	err := r.Do(method, args...)
	if errors.Is(err, poolrt.ErrNotReturned) && r.Stats().Live == live {
		r.Try(what, func() error { return r.Do(method, args...) })
	} else if err != nil {
		r.Errorf("%s: %v", what, err)
	}
}

// Work queues work with a block on a stream. A failure of the driver is not one of the pool.
func Work(block any, s cuda.Stream) {
	var p cuda.DevicePtr
	switch b := block.(type) {
	case Tiles:
		return
	case []byte:
		p = cuda.AddressOf(b)
	case *[1024]byte:
		p = cuda.AddressOf(b[:])
	case interface{ Addr() cuda.DevicePtr }:
		p = b.Addr()
	}
	_ = cuda.MemsetAsync(p, 1, 32, s)
}
