package cuda

import (
	"runtime"
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// CopyToDeviceAsync copies src to dst in the order of the stream. If src is page-locked or managed memory, the call returns at once, and
// src must not change until the stream has done the copy. If src is other memory, such as memory of the Go heap, the call waits until the
// stream has done the copy. On a stream that captures, that is an error. T is as in [CopyToDevice].
func CopyToDeviceAsync[T any](dst DevicePtr, src []T, s Stream) error {
	const op = "MemcpyHtoDAsync"
	b, err := plainBytes(op, src)
	if err != nil {
		return err
	}
	return s.copyToDevice(op, dst, b)
}

// CopyToHostAsync copies len(dst) items to dst in the order of the stream. The rules of CopyToDeviceAsync for src apply to dst.
func CopyToHostAsync[T any](dst []T, src DevicePtr, s Stream) error {
	const op = "MemcpyDtoHAsync"
	b, err := plainBytes(op, dst)
	if err != nil {
		return err
	}
	return s.copyToHost(op, b, src)
}

func (s Stream) copyToDevice(op string, dst DevicePtr, src []byte) error {
	return s.copyHost(op, src, func(t abi.Driver, ctx abi.Context, h abi.Stream) abi.Result {
		return t.MemcpyHtoDAsync(ctx, abi.Ptr(dst), bytesAt(src), uint64(len(src)), h)
	})
}

func (s Stream) copyToHost(op string, dst []byte, src DevicePtr) error {
	return s.copyHost(op, dst, func(t abi.Driver, ctx abi.Context, h abi.Stream) abi.Result {
		return t.MemcpyDtoHAsync(ctx, bytesAt(dst), abi.Ptr(src), uint64(len(dst)), h)
	})
}

// CopyDeviceAsync copies n bytes within the device, or from a device whose memory it may access, in the order of the stream.
func CopyDeviceAsync(dst, src DevicePtr, n int64, s Stream) error {
	const op = "MemcpyDtoDAsync"
	t, ctx, h, err := s.sized(op, n)
	if err != nil || n == 0 {
		return err
	}
	return check(t.MemcpyDtoDAsync(ctx, abi.Ptr(dst), abi.Ptr(src), uint64(n), h), op, s.device, n)
}

// CopyPeer copies n bytes between two devices in the order of the stream, which may be of either. If they cannot access each
// other's memory, the copy goes through the host.
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

// copyHost queues a copy from or to memory of the host. The garbage collector may reuse memory of the Go heap as soon as no Go code refers to it, so such
// memory is pinned, and the call waits for the copy.
func (s Stream) copyHost(op string, b []byte, queue func(abi.Driver, abi.Context, abi.Stream) abi.Result) error {
	n := int64(len(b))
	t, ctx, h, err := s.table()
	if err != nil || n == 0 {
		return err
	}
	if staysPut(t, ctx, b) {
		return check(queue(t, ctx, h), op, s.device, n)
	}
	switch capturing, err := s.IsCapturing(); {
	case err != nil:
		return err
	case capturing:
		return failure(abi.StreamCaptureUnsupported, op, s.device, n, "the memory of the host is not page-locked")
	}
	var pinner runtime.Pinner
	defer pinner.Unpin()
	pinner.Pin(unsafe.SliceData(b))
	if err := check(queue(t, ctx, h), op, s.device, n); err != nil {
		return err
	}
	return s.Synchronize()
}

// staysPut reports whether memory of the host is registered with the driver, and then stays in place until the stream has done the copy. On machines
// whose devices can access all memory, the driver answers for the Go heap, too, that it belongs to no device.
func staysPut(t abi.Driver, ctx abi.Context, b []byte) bool {
	if _, r := t.MemHostGetDevicePointer(ctx, bytesAt(b)); r == abi.Success {
		return true
	}
	d, r := t.PointerGetDevice(abi.Ptr(AddressOf(b)))
	return r == abi.Success && d >= 0
}

// sized is like table, for calls with a size.
func (s Stream) sized(op string, n int64) (abi.Driver, abi.Context, abi.Stream, error) {
	if n < 0 {
		return nil, 0, 0, refuse(op, s.device, n, "the size is negative")
	}
	return s.table()
}

// memsetWords sets n words to a value, in the order of the stream.
func memsetWords(p DevicePtr, value uint32, n int64, s Stream) error {
	const op = "MemsetD32Async"
	t, ctx, h, err := s.sized(op, n)
	if err != nil {
		return err
	}
	return check(t.MemsetD32Async(ctx, abi.Ptr(p), value, uint64(n), h), op, s.device, 4*n)
}
