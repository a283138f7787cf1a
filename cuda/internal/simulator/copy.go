package simulator

import (
	"bytes"
	"encoding/binary"
	"math"
	"runtime/debug"
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// side is one end of a copy: an address, or memory of the host.
type side struct {
	ptr  abi.Ptr
	host unsafe.Pointer
	ctx  abi.Context // whose device must have access; 0 is that of the stream
}

// pieces finds the memory of one end.
func (d *Driver) pieces(at side, dev *device, bytes uint64, write bool) ([]piece, abi.Result) {
	if at.ptr == 0 {
		return d.hostPieces(at.host, bytes)
	}
	if at.ctx != 0 {
		c := d.context(at.ctx)
		if c == nil {
			return nil, abi.InvalidContext
		}
		dev = c.dev
	}
	pieces, r := d.resolve(at.ptr, bytes)
	for _, p := range pieces {
		if !p.span.allows(dev, write) {
			return nil, abi.InvalidValue
		}
	}
	return pieces, r
}

// copyWork is a copy as work of a stream.
func (d *Driver) copyWork(what string, s *stream, dst, src side, bytes uint64) (work, abi.Result) {
	to, r := d.pieces(dst, s.ctx.dev, bytes, true)
	if r != abi.Success {
		return work{}, r
	}
	from, r := d.pieces(src, s.ctx.dev, bytes, false)
	if r != abi.Success {
		return work{}, r
	}
	return work{what: what, uses: []use{{pieces: from}, {pieces: to, write: true}}, run: func() abi.Result { return move(to, from) }}, abi.Success
}

// move copies between pieces of the same total length.
func move(to, from []piece) abi.Result {
	if !usable(to) || !usable(from) {
		return abi.IllegalAddress
	}
	return reaching(func() abi.Result { return movePieces(to, from) })
}

// reaching returns the result of f, which accesses memory that the program named, or abi.IllegalAddress if there is no such memory any more: Reset takes away
// the memory of the earlier machine.
func reaching(f func() abi.Result) (r abi.Result) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch e := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }: // of a fault
			r = abi.IllegalAddress
		default:
			panic(e)
		}
	}()
	return f()
}

// movePieces is move for pieces that can be used.
func movePieces(to, from []piece) abi.Result {
	var f piece
	for _, t := range to {
		for t.n > 0 {
			if f.n == 0 {
				f, from = from[0], from[1:]
			}
			n := min(t.n, f.n)
			t.span.store.move(t.off, f.span.store, f.off, n)
			t.off, t.n, f.off, f.n = t.off+n, t.n-n, f.off+n, f.n-n
		}
	}
	return abi.Success
}

// copyOn queues a copy on a stream.
func (d *Driver) copyOn(what string, ctx abi.Context, h abi.Stream, dst, src side, bytes uint64) abi.Result {
	s, r := d.beginStream(what, ctx, h)
	defer d.mu.Unlock()
	if r != abi.Success || bytes == 0 {
		return r
	}
	again := func() (work, abi.Result) { return d.copyWork(what, s, dst, src, bytes) }
	w, r := again()
	if r != abi.Success {
		return r
	}
	w.again = again
	return d.submit(s, w)
}

// copyNow copies on the legacy default stream and waits.
func (d *Driver) copyNow(what string, ctx abi.Context, dst, src side, bytes uint64) abi.Result {
	r := d.copyOn(what, ctx, 0, dst, src, bytes)
	if r != abi.Success {
		return r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.context(ctx)
	if c == nil {
		return abi.InvalidContext
	}
	d.drain(c.legacy.last)
	d.host = d.host.Join(c.legacy.clock)
	return c.fault
}

// MemcpyHtoD copies to a device and waits for the copy.
func (d *Driver) MemcpyHtoD(ctx abi.Context, dst abi.Ptr, src unsafe.Pointer, bytes uint64) abi.Result {
	return d.copyNow("cuMemcpyHtoD", ctx, side{ptr: dst}, side{host: src}, bytes)
}

// MemcpyDtoH copies from a device and waits for the copy.
func (d *Driver) MemcpyDtoH(ctx abi.Context, dst unsafe.Pointer, src abi.Ptr, bytes uint64) abi.Result {
	return d.copyNow("cuMemcpyDtoH", ctx, side{host: dst}, side{ptr: src}, bytes)
}

// MemcpyDtoD copies on the legacy default stream. Like the driver, it does not wait.
func (d *Driver) MemcpyDtoD(ctx abi.Context, dst, src abi.Ptr, bytes uint64) abi.Result {
	return d.copyOn("cuMemcpyDtoD", ctx, 0, side{ptr: dst}, side{ptr: src}, bytes)
}

// MemcpyHtoDAsync queues a copy to a device. The source is read when the operation runs, whatever memory it is.
func (d *Driver) MemcpyHtoDAsync(ctx abi.Context, dst abi.Ptr, src unsafe.Pointer, bytes uint64, s abi.Stream) abi.Result {
	return d.copyOn("cuMemcpyHtoDAsync", ctx, s, side{ptr: dst}, side{host: src}, bytes)
}

// MemcpyDtoHAsync queues a copy from a device. The destination is written when the operation runs, whatever memory it is.
func (d *Driver) MemcpyDtoHAsync(ctx abi.Context, dst unsafe.Pointer, src abi.Ptr, bytes uint64, s abi.Stream) abi.Result {
	return d.copyOn("cuMemcpyDtoHAsync", ctx, s, side{host: dst}, side{ptr: src}, bytes)
}

// MemcpyDtoDAsync queues a copy.
func (d *Driver) MemcpyDtoDAsync(ctx abi.Context, dst, src abi.Ptr, bytes uint64, s abi.Stream) abi.Result {
	return d.copyOn("cuMemcpyDtoDAsync", ctx, s, side{ptr: dst}, side{ptr: src}, bytes)
}

// MemcpyPeerAsync queues a copy between devices, which need no access to each other.
func (d *Driver) MemcpyPeerAsync(ctx abi.Context, dst abi.Ptr, dstCtx abi.Context, src abi.Ptr, srcCtx abi.Context, bytes uint64, s abi.Stream) abi.Result {
	return d.copyOn("cuMemcpyPeerAsync", ctx, s, side{ptr: dst, ctx: dstCtx}, side{ptr: src, ctx: srcCtx}, bytes)
}

// MemsetD8 fills on the legacy default stream. Like the driver, it does not wait.
func (d *Driver) MemsetD8(ctx abi.Context, dst abi.Ptr, value byte, bytes uint64) abi.Result {
	return d.memset("cuMemsetD8", ctx, dst, []byte{value}, bytes, 0)
}

// MemsetD8Async queues a fill.
func (d *Driver) MemsetD8Async(ctx abi.Context, dst abi.Ptr, value byte, bytes uint64, s abi.Stream) abi.Result {
	return d.memset("cuMemsetD8Async", ctx, dst, []byte{value}, bytes, s)
}

// MemsetD32Async queues a fill with words, at an address that is a multiple of a word.
func (d *Driver) MemsetD32Async(ctx abi.Context, dst abi.Ptr, value uint32, words uint64, s abi.Stream) abi.Result {
	n := 4 * words
	if dst%4 != 0 || words > math.MaxUint64/4 {
		n = math.MaxUint64 // which is refused
	}
	return d.memset("cuMemsetD32Async", ctx, dst, binary.LittleEndian.AppendUint32(nil, value), n, s)
}

// memset queues a fill with a value of one or more bytes.
func (d *Driver) memset(what string, ctx abi.Context, dst abi.Ptr, value []byte, n uint64, h abi.Stream) abi.Result {
	s, r := d.beginStream(what, ctx, h)
	defer d.mu.Unlock()
	if r != abi.Success || n == 0 {
		return r
	}
	again := func() (work, abi.Result) { return d.memsetWork(what, s, dst, value, n) }
	w, r := again()
	if r != abi.Success {
		return r
	}
	w.again = again
	return d.submit(s, w)
}

// memsetWork is a fill as work of a stream.
func (d *Driver) memsetWork(what string, s *stream, dst abi.Ptr, value []byte, n uint64) (work, abi.Result) {
	to, r := d.pieces(side{ptr: dst}, s.ctx.dev, n, true)
	if r != abi.Success {
		return work{}, r
	}
	return work{what: what, uses: []use{{pieces: to, write: true}}, run: func() abi.Result {
		if !usable(to) {
			return abi.IllegalAddress
		}
		if len(value) > 1 {
			return move(to, scratch(bytes.Repeat(value, int(n)/len(value))))
		}
		for _, p := range to {
			p.span.store.set(p.off, p.n, value[0])
		}
		return abi.Success
	}}, abi.Success
}
