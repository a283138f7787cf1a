package cuda

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// Pools and captures. A graph keeps the addresses that its work was captured with, and uses them again at each launch, at any time and on any stream.
// Therefore, a block that captured work uses must be allocated without a stream (Alloc, before or during the capture) and freed when the graph will
// not be launched again and its last launch is done. A block that is freed earlier may belong to another caller when the graph is launched.
//
// On a stream that takes part in a capture, AllocOn, FreeOn and FreeAsync return poolrt.ErrUnsupported and change nothing, unless BeginCaptureWith has named the
// pool. They query the driver about that only while a capture begun by [Stream.BeginCapture] is under way anywhere in the process, or [WatchCaptures] says that
// other bindings may begin one, as by default in programs that have adopted a stream.
//
// No call of a pool adds anything to a capture, or invalidates one of mode relaxed. Blocks that were freed on a stream stay pending while the stream
// captures, unless a fence was recorded after the frees before the capture (BeginCapture does that in pools that have a lock). Poll, Trim, Close and
// allocations at the limit leave them pending; Trim, Close and a failed allocation say why. A pool does not make a stream that captures wait for
// others. A capture of another binding in mode global forbids the driver calls of growth and polling in the whole process, and one in mode
// thread-local forbids them on its thread: reserve with prime, or do not use the pool meanwhile.

// captures are the captures that BeginCapture and BeginCaptureWith have begun and that have not ended.
var captures captureList

type captureList struct {
	ask     atomic.Bool  // a stream may be captured; read by every AllocOn, FreeOn and FreeAsync
	under   atomic.Int32 // number of captures
	mu      sync.Mutex
	begun   map[Stream]*capture
	pools   []*capture // those in which pools take part
	watched bool       // for captures of other bindings
	told    bool       // by the program whether to watch
}

// WatchCaptures says whether another binding in the process may capture a stream. While it may, pools ask the driver before each call for a block on a stream, as
// they do during a capture begun by [Stream.BeginCapture], and refuse it on a stream that is being captured: without the question, the graph would have the address
// of an ordinary block, which others get as well. The question takes 50 to 100 nanoseconds, more than the rest of such a call:
// go test ./cuda -run '^$' -bench Stream measures it.
//
// Until the program says so, the answer is no, and yes from the first [AdoptStream] or [StreamOf] of a handle that is no default stream. Say no if no other binding
// captures streams, or say yes before each of its captures and no afterwards. If other bindings capture streams of [Device.NewStream], say yes.
func WatchCaptures(on bool) {
	captures.mu.Lock()
	defer captures.mu.Unlock()
	captures.watched, captures.told = on, true
	captures.count()
}

// watchCaptures is WatchCaptures(true) unless the program has said anything.
func watchCaptures() {
	captures.mu.Lock()
	defer captures.mu.Unlock()
	if !captures.told {
		captures.watched = true
		captures.count()
	}
}

// count says how many captures there are, and whether to ask about others. The caller holds the lock.
func (l *captureList) count() {
	l.under.Store(int32(len(l.begun)))
	l.ask.Store(l.watched || len(l.begun) > 0)
}

// Capturing reports whether a stream of the process may be captured, for generated pools. Cost: a load.
func Capturing() bool { return captures.ask.Load() }

// Captured reports whether the stream may take part in a capture, for generated pools: it does, or the driver does not say, and each call for a block asks again.
// Cost: a load, and a call of the driver while a stream of the process may be captured.
func (s Stream) Captured() bool { return Capturing() && s.mayBeCaptured() }

//go:noinline
func (s Stream) mayBeCaptured() bool {
	captured, err := s.joinsCapture()
	return captured || err != nil
}

// RefuseCaptured refuses a call on a stream that is being captured, for generated pools. It returns nil on any other stream.
func RefuseCaptured(e *poolimpl.Engine, s Stream, m poolimpl.Misuse) error {
	captured, err := s.joinsCapture()
	switch {
	case err != nil:
		return e.RefuseFor(m, err)
	case captured:
		return e.Refuse(m)
	}
	return nil
}

// joinsCapture queries the driver. A default stream that must not be used while another stream captures takes no part in the capture, nor does a stream
// that was destroyed.
func (s Stream) joinsCapture() (bool, error) {
	capturing, err := s.IsCapturing()
	if e, ok := err.(*Error); ok && outsideCaptures(abi.Result(e.Code)) {
		return false, nil
	}
	return capturing, err
}

// outsideCaptures reports whether a failed question about the capture of a stream means that the stream takes part in none.
func outsideCaptures(r abi.Result) bool { return r == abi.StreamCaptureImplicit || unknownStream(r) }

// noteCapture notes that a capture of the stream begins. It reports whether that is a change.
func (s Stream) noteCapture(c *capture) bool {
	captures.mu.Lock()
	defer captures.mu.Unlock()
	if captures.begun[s] != nil {
		return false
	}
	if captures.begun == nil {
		captures.begun = map[Stream]*capture{}
	}
	captures.begun[s] = c
	captures.count()
	return true
}

// noteCaptureEnd notes that the capture of the stream has ended, and returns it.
func (s Stream) noteCaptureEnd() *capture {
	captures.mu.Lock()
	defer captures.mu.Unlock()
	c := captures.begun[s]
	if c == nil {
		return new(capture) // of another binding
	}
	delete(captures.begun, s)
	captures.pools = slices.DeleteFunc(captures.pools, func(other *capture) bool { return other == c })
	captures.count()
	return c
}

// IsCapturing reports whether the stream is recording its work instead of doing it. Pools call it before operations that a capture forbids.
func (s Stream) IsCapturing() (bool, error) {
	t, ctx, h, err := s.table()
	if err != nil {
		return false, err
	}
	capturing, r := t.StreamIsCapturing(ctx, h)
	if r == abi.NoFunction {
		return false, nil // then there is no capture
	}
	return capturing, check(r, "StreamIsCapturing", s.device, 0)
}

// BeginCapture makes the stream record its work until EndCapture instead of doing it. The stream must not be a default stream. Other
// streams that wait for an event recorded in it join the capture. The capture does not restrict the calls of other goroutines (mode
// relaxed). Until EndCapture, pools refuse to allocate and free on those streams: a graph uses its memory again at each launch, so
// allocate without a stream, and free when the graph is no longer needed. [Stream.BeginCaptureWith] names pools that take part.
func (s Stream) BeginCapture() error { return s.BeginCaptureWith(nil) }

// BeginCaptureWith is BeginCapture in which the stream calls of the given pools take part: those with capture: private in their pool file, on the device of the
// stream. A block that is allocated on a captured stream can be used by work that is captured on this stream from then on, and behind it. Its memory belongs to the
// graph, for all its launches, and counts in the limit of the pool. When the block is freed on a captured stream, the memory is used again in the same graph by
// what comes later there. A block that is live when the capture ends is an output: its address stays valid as long as the graph can be launched.
//
// The memory of the graphs after may be used again: you say that they never run at the same time as this one. What is refused changes nothing.
func (s Stream) BeginCaptureWith(pools []poolrt.Capturer, after ...Graph) error {
	t, ctx, h, err := s.table()
	if err != nil {
		return err
	}
	c, err := s.newCapture(pools, after)
	if err != nil {
		return err
	}
	s.leave() // while it captures, no fence can be recorded after the frees on it
	news := s.noteCapture(c)
	err = check(t.StreamBeginCapture(ctx, h), "StreamBeginCapture", s.device, 0)
	if err == nil && len(c.memory) > 0 {
		if err = c.identify(t, ctx, h); err != nil {
			g, r := t.StreamEndCapture(ctx, h)
			if r != abi.Success { // the capture goes on, and pools refuse to take part
				return errors.Join(err, check(r, "StreamEndCapture", s.device, 0))
			}
			t.GraphDestroy(g)
		}
	}
	if err != nil {
		if news {
			s.noteCaptureEnd()
		}
		c.drop()
	}
	return err
}

// EndCapture ends the capture and returns the recorded work. From then on the stream does its work again. If the capture was invalidated, there is no graph, and
// memory that pools had for it goes back.
func (s Stream) EndCapture() (Graph, error) {
	t, ctx, h, err := s.table()
	if err != nil {
		return Graph{}, err
	}
	handle, r := t.StreamEndCapture(ctx, h)
	if r != abi.Success {
		err := check(r, "StreamEndCapture", s.device, 0)
		if captured, unknown := s.joinsCapture(); captured || unknown != nil { // it may go on
			return Graph{}, errors.Join(err, unknown)
		}
		s.noteCaptureEnd().drop() // it was invalidated
		return Graph{}, err
	}
	c := s.noteCaptureEnd()
	return c.end(t, Graph{handle: uintptr(handle), device: s.device})
}
