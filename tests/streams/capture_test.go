//go:build cudasim

package streams

import (
	"errors"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/streams/pools"
)

// capturing makes a stream that is capturing.
func capturing(t *testing.T) cuda.Stream {
	t.Helper()
	s := must2(cuda.Device(0).NewStream(cuda.NonBlocking))
	check(t, "begin", s.BeginCapture())
	return s
}

// Blocks can be taken and freed on a stream that is captured, and the capture is not spoiled. What was freed cannot be marked before it ends,
// which who needs to know is told, and comes back afterwards.
func TestCapture(t *testing.T) {
	sim.Reset(sim.Config{Devices: 1, Schedule: 1})
	p := new(pools.HeapPool)
	s := capturing(t)
	b := must2(p.AllocOn(1000, s))
	check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), s))
	check(t, "free", p.FreeOn(b, s))
	if again := must2(p.AllocOn(1000, s)); again != b {
		t.Error("the stream did not get its own block")
	}
	check(t, "free", p.FreeOn(b, s))
	for range 100 { // more than an epoch, so that the pool wants to mark it
		check(t, "free", p.FreeOn(must2(p.AllocOn(500, s)), s))
	}
	var many []pools.HeapSpan
	for range 100 {
		many = append(many, must2(p.AllocOn(300, s)))
	}
	for _, b := range many {
		check(t, "free", p.FreeOn(b, s))
	}
	if n := p.Poll(); n != 0 {
		t.Errorf("%d frees came back", n)
	}
	for what, err := range map[string]error{"trim": second(p.Trim(0)), "close": p.Close()} {
		var e *cuda.Error
		if !errors.As(err, &e) || e.Code != cuda.ResultStreamCaptureUnsupported {
			t.Errorf("%s: %v", what, err)
		}
	}
	g := must2(s.EndCapture())
	p.Poll()
	check(t, "wait", s.Synchronize())
	if p.Poll(); p.Stats().Pending != 0 {
		t.Errorf("%+v", p.Stats())
	}
	check(t, "graph", g.Close())
	check(t, "stream", s.Close())
	check(t, "close", p.Close())
	for _, l := range sim.Leaks() {
		t.Error(l)
	}
}

// At the limit a stream that is captured would have to wait for another, which the driver refuses: the allocation fails, and so does the capture.
func TestCaptureAtTheLimit(t *testing.T) {
	sim.Reset(sim.Config{Devices: 1})
	p := new(pools.HeapPool)
	other := must2(cuda.Device(0).NewStream(cuda.NonBlocking))
	var all []pools.HeapSpan
	for range 8 {
		all = append(all, must2(p.AllocOn(64<<10, other)))
	}
	for _, b := range all {
		check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), other))
		check(t, "free", p.FreeOn(b, other))
	}
	s := capturing(t)
	if _, err := p.AllocOn(32<<10, s); !errors.Is(err, poolrt.ErrLimit) {
		t.Errorf("a captured stream got memory that another is at work with: %v", err)
	}
	if _, err := s.EndCapture(); err == nil {
		t.Error("nothing was said of the capture")
	}
	sim.RunAll()
	check(t, "close", p.CloseForce())
}

func second[T any](_ T, err error) error { return err }
