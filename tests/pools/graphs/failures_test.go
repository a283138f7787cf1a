//go:build cudasim

package graphs

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// inCapture are the functions of the driver that pools call while a stream is being captured.
var inCapture = []string{
	"cuStreamBeginCapture", "cuStreamEndCapture", "cuStreamGetCaptureInfo", "cuGraphNodeGetDependencies", "cuUserObjectCreate",
	"cuGraphRetainUserObject", "cuGraphDestroy", "cuStreamIsCapturing", "cuStreamGetId", "cuStreamQuery", "cuEventCreate", "cuEventRecord", "cuEventQuery",
	"cuMemsetD8Async", "cuMemAlloc", "cuMemFree", "cuMemCreate", "cuMemMap", "cuMemSetAccess", "cuMemUnmap", "cuMemAddressReserve", "cuMemAllocAsync", "cuMemAllocFromPoolAsync",
	"cuMemFreeAsync",
}

// If a call of the driver fails while streams are being captured, the error says so, a second try succeeds, and no block from outside the graph is handed out or
// freed on these streams.
func TestFailuresInCaptures(t *testing.T) {
	struck := map[string]int{}
	codes := func(string) []int { return []int{int(cuda.ResultOutOfMemory), int(cuda.ResultInvalidValue)} }
	for _, s := range subjects() {
		if s.bytes > 256 {
			s.bytes = 700_000 // one block in a chunk, so that memory is used again
		}
		rig.EachDriverCall(t, s.name, inCapture, codes, func(t *testing.T, f rig.Fault) bool {
			return f.Play(t, config, excuses(f), func(r *rig.Run) {
				again := subject{rig.SubjectOf(reflect.New(s.Type().Elem()).Interface()), s.name, s.bytes}
				(&failing{r, again}).program()
			})
		}, struck)
	}
	for _, f := range inCapture {
		t.Logf("%5d calls of %s failed", struck[f], f)
	}
}

// excuses says that a failure need not be reported: the pool then does without, or tries again.
func excuses(f rig.Fault) func(string) bool {
	return func(told string) bool {
		return told == "" && !strings.HasPrefix(f.Function, "cuGraph") && !strings.Contains(f.Function, "Capture")
	}
}

// failing is a run of a program with captures.
type failing struct {
	*rig.Run
	subject
}

func (r *failing) program() {
	var streams [2]cuda.Stream
	for i := range streams {
		r.Try("stream", func() (err error) { streams[i], err = cuda.Device(0).NewStream(cuda.NonBlocking); return err })
		b := r.block(streams[i])
		r.Try("free", func() error { return r.freeOn(b, streams[i]) }) // free memory that must not become part of the graph
	}
	on, other := streams[0], streams[1]
	outer := r.block(on)
	r.Try("begin", func() error { return on.BeginCaptureWith(r.pools()) })
	r.after(other, on)
	var blocks []block
	for i, at := range []cuda.Stream{on, other, on, other, on} {
		blocks = append(blocks, r.block(at))
		r.Try("work", func() error { return cuda.MemsetAsync(blocks[i].Addr(), 1, int64(r.bytes), at) })
		switch i {
		case 1:
			r.after(on, other) // two nodes are in front of the stream then
			r.Try("free", func() error { return r.freeOn(blocks[0], on) })
			r.Try("free", func() error { return r.freeOn(blocks[1], on) })
		case 2:
			r.after(other, on) // which comes after the first node by way of the third
		}
	}
	r.Try("refused free", func() error {
		err := r.freeOn(outer, on)
		if errors.Is(err, poolrt.ErrUnsupported) {
			return nil
		}
		if err == nil {
			r.Error("a block from outside is freed on a stream that is being captured")
		}
		return err
	})
	r.after(on, other)
	var graph cuda.Graph
	over := false // the capture is, with a graph or without
	r.Try("end", func() (err error) {
		if !over {
			graph, err = on.EndCapture()
			over = err == nil || !rig.Must(on.IsCapturing()) // the fault has struck
		}
		return err
	})
	if n := r.Stats().Live; n != 1 {
		r.Errorf("%d blocks are live outside the graph, want 1", n)
	}
	if graph.Handle() != 0 {
		r.Try("launch", func() error { return graph.Launch(on) })
		r.Try("graph", graph.Close)
	}
	sim.RunAll()
	r.Try("free", func() error { return r.freeOn(outer, on) })
	for _, s := range streams {
		r.Try("stream", s.Close)
	}
	sim.RunAll()
	r.Poll()
	r.Try("close", func() error { return r.Do("CloseForce") })
}

// block allocates a block on a stream.
func (r *failing) block(on cuda.Stream) (b block) {
	r.Helper()
	r.Try("alloc", func() (err error) { b, err = r.alloc(on); return err })
	return b
}

// after makes a stream wait for another.
func (r *failing) after(s, other cuda.Stream) {
	var e cuda.Event
	r.Try("event", func() (err error) { e, err = cuda.Device(0).NewEvent(); return err })
	r.Try("record", func() error { return e.Record(other) })
	r.Try("wait", func() error { return s.Wait(e) })
	r.Try("close", e.Close)
}

// If the driver does not say whether a stream is being captured, a pool that takes part in no capture refuses the call, with the error of the driver.
func TestUnknownWhetherCaptured(t *testing.T) {
	rig.Machine(t, config)
	p, on, other := new(RefusePool), rig.Stream(t, 0), rig.Stream(t, 0)
	b := rig.Must(p.AllocOn(1000, on))
	rig.Check(t, "begin", on.BeginCapture())
	calls := map[string]func() error{
		"AllocOn":        func() error { return rig.Second(p.AllocOn(1000, on)) },
		"AllocAlignedOn": func() error { return rig.Second(p.AllocAlignedOn(1000, 512, on)) },
		"AllocContextOn": func() error { return rig.Second(p.AllocContextOn(t.Context(), 1000, on)) },
		"AllocRefOn":     func() error { return rig.Second(p.AllocRefOn(1000, on)) },
		"FreeOn":         func() error { return p.FreeOn(b, on) },
		"FreeAsync":      func() error { return p.FreeAsync(b, on) },
	}
	for name, call := range calls {
		sim.Fail("cuStreamIsCapturing", 1, int(cuda.ResultInvalidValue))
		if err := call(); rig.As[*poolrt.PoolError](t, err) == nil || errors.Is(err, poolrt.ErrUnsupported) || rig.As[*cuda.Error](t, err).Op != "StreamIsCapturing" {
			t.Errorf("%s: %v", name, err)
		}
		rig.Refused(t, name, call(), poolrt.ErrUnsupported)
	}
	if n := p.Stats().Live; n != 1 {
		t.Errorf("%d blocks are live, want 1", n)
	}
	rig.Check(t, "free", p.FreeOn(b, other))
	rig.Check(t, "close", rig.Must(on.EndCapture()).Close())
	rig.Check(t, "close", p.Close())
}

// If the driver does not say whether the stream of a launch is being captured, a graph with memory for itself is not launched.
func TestUnknownWhetherLaunchIsCaptured(t *testing.T) {
	rig.Machine(t, config)
	p, on, other := new(TempPool), rig.Stream(t, 0), rig.Stream(t, 0)
	rig.Check(t, "begin", on.BeginCaptureWith([]poolrt.Capturer{p}))
	b := rig.Must(p.AllocOn(1000, on))
	rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), on))
	graph := rig.Must(on.EndCapture())
	rig.Check(t, "begin", other.BeginCapture())
	sim.Fail("cuStreamIsCapturing", 1, int(cuda.ResultInvalidValue))
	if e := rig.As[*cuda.Error](t, graph.Launch(other)); e.Op != "StreamIsCapturing" {
		t.Errorf("launch: %v", e)
	}
	rig.Check(t, "close", rig.Must(other.EndCapture()).Close())
	rig.Check(t, "close", graph.Close())
	rig.Check(t, "close", p.Close())
}

// In a capture of another binding, a pool gives no ordinary memory in silence.
func TestForeignCapture(t *testing.T) {
	cuda.WatchCaptures(true)
	defer cuda.WatchCaptures(false)
	kinds(t, func(t *testing.T, s subject) {
		on := rig.Stream(t, 0)
		before := rig.Must(s.alloc(on))
		rig.Check(t, "begin", sim.BeginCapture(on))
		_, err := s.alloc(on)
		rig.Refused(t, "alloc", err, poolrt.ErrUnsupported)
		rig.Refused(t, "free", s.freeOn(before, on), poolrt.ErrUnsupported)
		rig.Check(t, "end", sim.EndCapture(on))
		after := rig.Must(s.alloc(on))
		rig.Check(t, "free", errors.Join(s.freeOn(before, on), s.freeOn(after, on)))
		sim.RunAll()
		rig.Check(t, "close", s.Do("Close"))
	})
}
