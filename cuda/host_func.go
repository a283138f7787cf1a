package cuda

import "github.com/poolgen/poolgen/cuda/internal/abi"

// LaunchHostFunc queues a call of f: the stream reaches the call when its earlier work is done, f is called once, and later work of the stream begins
// when f has returned. LaunchHostFunc itself does not wait.
//
// f runs on a goroutine of its own while a thread of the driver waits, which other streams may need as well: f has to be short. It must not call
// functions of this package or of a pool, nor wait for work on a device, nor for a goroutine that does: the driver may deadlock. To go on with such work,
// f sends on a buffered channel. A panic in f ends the program, as in any goroutine.
//
// If earlier work of the device has failed, f is never called, and what f refers to stays in memory. A stream that captures refuses the call with
// [ResultStreamCaptureUnsupported]: a graph may call f again at any time, so nothing would tell when f is no longer needed.
func (s Stream) LaunchHostFunc(f func()) error {
	const op = "LaunchHostFunc"
	if f == nil {
		return refuse(op, s.device, 0, "the function is nil")
	}
	switch capturing, err := s.IsCapturing(); {
	case err != nil:
		return err
	case capturing:
		return failure(abi.StreamCaptureUnsupported, op, s.device, 0, "a graph could call the function again")
	}
	t, ctx, h, err := s.table()
	if err != nil {
		return err
	}
	return check(t.LaunchHostFunc(ctx, h, f), op, s.device, 0)
}
