package cuda

import (
	"runtime"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// adopt finds the device of a stream, and the number of the stream.
func adopt(t abi.Driver, h abi.Stream) (Stream, error) {
	ctx, r := t.StreamGetCtx(h)
	if r != abi.Success {
		return Stream{}, failure(r, "StreamGetCtx", nowhere, 0, "")
	}
	d, err := deviceOf(t, ctx)
	if err != nil {
		return Stream{}, err
	}
	_, primary, err := d.table()
	if err != nil {
		return Stream{}, err
	}
	if primary != ctx {
		return Stream{}, failure(abi.InvalidContext, "StreamGetCtx", d, 0, "the stream was made in a context other than the primary one")
	}
	id, r := t.StreamGetID(ctx, h)
	if r == abi.NoFunction {
		id, r = adopted|uint64(h), abi.Success
	}
	watchCaptures()
	return Stream{handle: uintptr(h), id: id, device: d}, check(r, "StreamGetId", d, 0)
}

// deviceOf returns the device of a context. The driver returns only the device of the current context, so deviceOf makes the context current for a
// moment.
func deviceOf(t abi.Driver, ctx abi.Context) (Device, error) {
	if d, ok := retained.device(ctx); ok {
		return d, nil
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, r := t.CtxGetCurrent()
	if r != abi.Success {
		return 0, failure(r, "CtxGetCurrent", nowhere, 0, "")
	}
	if r := t.CtxSetCurrent(ctx); r != abi.Success {
		return 0, failure(r, "CtxSetCurrent", nowhere, 0, "")
	}
	n, r := t.CtxGetDevice()
	if t.CtxSetCurrent(before) != abi.Success { // it was destroyed: then none is current, as its owner expects
		t.CtxSetCurrent(0)
	}
	return Device(n), check(r, "CtxGetDevice", nowhere, 0)
}
