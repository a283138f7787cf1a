//go:build pooldebug

package poolimpl

// What a stream may be at work with is filled in the order of that stream, behind what it was given before, and nobody waits for it. So a block of
// AllocOn has work pending on it from the first, which the program does not know of: until that is done the block is not free for all, whatever the
// free of it says.

// armOn lays the red zones round a block, and fills it if it is to be, in the order of a stream. One that takes no work leaves them as they are.
func (r *blockRecord) armOn(on Stream, d *debugState, c chunkInfo, fresh bool) {
	if r.unguarded || r.far == nil {
		return
	}
	front, tail := d.zones(r.bytes, c)
	ops := r.fillOps(nil, int64(r.bytes), tail, fillZone)
	ops = r.fillOps(ops, -int64(front), front, fillZone)
	if fresh {
		ops = r.fillOps(ops, 0, r.bytes, fillFresh)
	}
	if len(ops) == 0 {
		return
	}
	if fence, err := r.far.Queue(on, ops); err == nil {
		r.front, r.tail, r.on, r.filled = front, tail, on, fence
	}
}

// fillOps adds the filling of n bytes from an offset of the block on.
func (r *blockRecord) fillOps(ops []DeviceOp, from int64, n uint64, with byte) []DeviceOp {
	for _, p := range parts(n) {
		if p[1] > 0 {
			ops = append(ops, DeviceOp{Addr: r.place + uint64(from) + p[0], Bytes: p[1], Value: with})
		}
	}
	return ops
}

// orderFree puts a free in its order, and returns the stream whose order that is, nil for one that is at once. It is the stream that the free names or, as
// long as the block has not been filled by the stream that it was allocated on, that one. The lock of what is known is held.
func (e *Engine) orderFree(b *blockRecord, s *Stream) *Stream {
	d := &e.observed.debug
	fence, on := b.filled, b.on
	done := fence == 0
	if !done {
		done, _ = b.far.Done(fence)
	}
	switch {
	case s == nil && (done || !d.sample(b, on)):
		if !done { // the stream takes no work
			_ = b.far.Sync(fence)
		}
	case s == nil:
		s, b.stream = &on, &on
	default:
		if !done && *s != on && b.far.Wait(*s, fence) != nil {
			_ = b.far.Sync(fence)
		}
		d.sample(b, *s)
	}
	b.releaseFence()
	return s
}

// releaseFence gives the fence behind the filling of a block back.
func (r *blockRecord) releaseFence() {
	if r.filled != 0 {
		r.far.Release(r.filled)
		r.filled = 0
	}
}
