package cuda

import (
	"runtime"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// CopyToDeviceAsync copies src to dst in the order of the stream. If src is page-locked or managed memory the call returns at once, and src
// must stay as it is until the stream has passed. If it is other memory, of the Go heap for instance, the call waits until the
// stream has passed, which a stream that captures cannot do: then it is an error.
func CopyToDeviceAsync(dst DevicePtr, src []byte, s Stream) error {
	const op = "MemcpyHtoDAsync"
	n := int64(len(src))
	t, ctx, h, err := s.table()
	if err != nil || n == 0 {
		return err
	}
	stays := staysPut(t, ctx, src)
	if err := s.mayWait(stays, op, n); err != nil {
		return err
	}
	r := t.MemcpyHtoDAsync(ctx, abi.Ptr(dst), bytesAt(src), uint64(n), h)
	return s.settle(stays, src, check(r, op, s.device, n))
}

// CopyToHostAsync copies to dst, as many bytes as it has, in the order of the stream. What CopyToDeviceAsync says of src holds for dst.
func CopyToHostAsync(dst []byte, src DevicePtr, s Stream) error {
	const op = "MemcpyDtoHAsync"
	n := int64(len(dst))
	t, ctx, h, err := s.table()
	if err != nil || n == 0 {
		return err
	}
	stays := staysPut(t, ctx, dst)
	if err := s.mayWait(stays, op, n); err != nil {
		return err
	}
	r := t.MemcpyDtoHAsync(ctx, bytesAt(dst), abi.Ptr(src), uint64(n), h)
	return s.settle(stays, dst, check(r, op, s.device, n))
}

// CopyDeviceAsync copies n bytes within the device, or from one whose memory it may access, in the order of the stream.
func CopyDeviceAsync(dst, src DevicePtr, n int64, s Stream) error {
	const op = "MemcpyDtoDAsync"
	t, ctx, h, err := s.sized(op, n)
	if err != nil || n == 0 {
		return err
	}
	return check(t.MemcpyDtoDAsync(ctx, abi.Ptr(dst), abi.Ptr(src), uint64(n), h), op, s.device, n)
}

// CopyPeer copies n bytes between two devices in the order of the stream, which may be of either. They need not be able to access
// each other's memory: then the copy goes through the host.
func CopyPeer(dst DevicePtr, dstDevice Device, src DevicePtr, srcDevice Device, n int64, s Stream) error {
	const op = "MemcpyPeerAsync"
	t, ctx, h, err := s.sized(op, n)
	if err != nil || n == 0 {
		return err
	}
	_, to, from, err := pair(dstDevice, srcDevice)
	if err != nil {
		return err
	}
	return check(t.MemcpyPeerAsync(ctx, abi.Ptr(dst), to, abi.Ptr(src), from, uint64(n), h), op, s.device, n)
}

// MemsetAsync sets n bytes to a value, in the order of the stream.
func MemsetAsync(p DevicePtr, value byte, n int64, s Stream) error {
	const op = "MemsetD8Async"
	t, ctx, h, err := s.sized(op, n)
	if err != nil || n == 0 {
		return err
	}
	return check(t.MemsetD8Async(ctx, abi.Ptr(p), value, uint64(n), h), op, s.device, n)
}

// staysPut tells whether the driver knows memory of the host, so that it stays where it is until the stream has passed. The Go heap
// may give memory to somebody else as soon as nobody in Go refers to it.
func staysPut(t abi.Driver, ctx abi.Context, b []byte) bool {
	if _, r := t.MemHostGetDevicePointer(ctx, bytesAt(b)); r == abi.Success {
		return true
	}
	_, r := t.PointerGetDevice(abi.Ptr(AddressOf(b)))
	return r == abi.Success
}

// mayWait refuses a copy that would have to wait for a stream that captures.
func (s Stream) mayWait(stays bool, op string, n int64) error {
	if stays {
		return nil
	}
	capturing, err := s.IsCapturing()
	if err == nil && capturing {
		return failure(abi.StreamCaptureUnsupported, op, s.device, n, "the memory of the host is not page-locked")
	}
	return err
}

// settle waits for a copy if its memory would not wait for it.
func (s Stream) settle(stays bool, b []byte, err error) error {
	if err != nil || stays {
		return err
	}
	err = s.Synchronize()
	runtime.KeepAlive(b)
	return err
}

// sized is table for calls with a size.
func (s Stream) sized(op string, n int64) (abi.Driver, abi.Context, abi.Stream, error) {
	if n < 0 {
		return nil, 0, 0, refuse(op, s.device, n, "the size is negative")
	}
	return s.table()
}
