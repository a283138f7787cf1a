package cuda

import (
	"sync"
	"sync/atomic"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// Pools and captures. A graph keeps the addresses that its work was captured with, and uses them again at each launch, at any time and on any stream.
// Therefore, a block that captured work uses must be allocated without a stream (Alloc, before or during the capture) and freed when the graph will
// not be launched again and its last launch is done. A block that is freed earlier may belong to another caller when the graph is launched.
//
// On a stream that takes part in a capture, AllocOn, FreeOn and FreeAsync return poolrt.ErrUnsupported and change nothing. They query the driver
// about that only while a capture begun by [Stream.BeginCapture] is under way anywhere in the process. They do not detect captures begun by other
// bindings: the program must not call them on the streams of such captures.
//
// No call of a pool adds anything to a capture, or invalidates one of mode relaxed. Blocks that were freed on a stream stay pending while the stream
// captures, unless a fence was recorded after the frees before the capture (BeginCapture does that in pools that have a lock). Poll, Trim, Close and
// allocations at the limit leave them pending; Trim, Close and a failed allocation say why. A pool does not make a stream that captures wait for
// others. A capture of another binding in mode global forbids the driver calls of growth and polling in the whole process, and one in mode
// thread-local forbids them on its thread: reserve with prime, or do not use the pool meanwhile.

// captures are the captures that BeginCapture has begun and that have not ended.
var captures struct {
	under atomic.Int32 // number of captures; read by every AllocOn, FreeOn and FreeAsync
	mu    sync.Mutex
	begun map[Stream]bool
}

// Captured reports whether the stream takes part in a capture, for generated pools. It is always false while no capture begun by
// BeginCapture is under way. Cost: a load, and a call of the driver while a capture is under way.
func (s Stream) Captured() bool { return captures.under.Load() != 0 && s.joinsCapture() }

// joinsCapture queries the driver. A default stream that must not be used while another stream captures takes no part in the capture.
func (s Stream) joinsCapture() bool {
	capturing, err := s.IsCapturing()
	return err == nil && capturing
}

// noteCapture notes that a capture of the stream begins or has ended. It reports whether that is a change.
func (s Stream) noteCapture(begins bool) bool {
	captures.mu.Lock()
	defer captures.mu.Unlock()
	if captures.begun[s] == begins {
		return false
	}
	if captures.begun == nil {
		captures.begun = map[Stream]bool{}
	}
	if begins {
		captures.begun[s] = true
	} else {
		delete(captures.begun, s)
	}
	captures.under.Store(int32(len(captures.begun)))
	return true
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
// allocate without a stream, and free when the graph is no longer needed.
func (s Stream) BeginCapture() error {
	t, ctx, h, err := s.table()
	if err != nil {
		return err
	}
	s.leave() // while it captures, no fence can be recorded after the frees on it
	news := s.noteCapture(true)
	r := t.StreamBeginCapture(ctx, h)
	if r != abi.Success && news {
		s.noteCapture(false)
	}
	return check(r, "StreamBeginCapture", s.device, 0)
}

// EndCapture ends the capture and returns the recorded work. From then on the stream does its work again.
func (s Stream) EndCapture() (Graph, error) {
	t, ctx, h, err := s.table()
	if err != nil {
		return Graph{}, err
	}
	g, r := t.StreamEndCapture(ctx, h)
	if r == abi.Success || !s.joinsCapture() { // it also ends if the capture was invalidated
		s.noteCapture(false)
	}
	return Graph{handle: uintptr(g), device: s.device}, check(r, "StreamEndCapture", s.device, 0)
}
