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
func (d *debugState) orderFree(b *blockRecord, s *Stream) *Stream {
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

// The red zones of a block that is freed on a stream are copied in the order of that stream, behind the work on the block, and looked at when the stream
// has come so far. By then others may have the memory.

// sample is such a copy on its way.
type sample struct {
	block       *blockRecord
	far         Inspector
	on          Stream
	fence       Fence // behind the copy
	staging     []byte
	front, tail []byte // parts of the slot
}

const (
	mostSamples = 4096 // of a pool: blocks beyond that, on streams that come nowhere, are not looked at
	someSamples = 64   // so many more, and those that have come are looked at
)

// sample has a stream copy the red zones of a block that is freed on it, and fill the block. It reports false if the stream takes no work.
func (d *debugState) sample(b *blockRecord, on Stream) bool {
	if b.unguarded || b.far == nil {
		return false
	}
	m := sample{block: b, far: b.far, on: on}
	var ops []DeviceOp
	if n := int(b.front + b.tail); n > 0 && len(d.samples) < mostSamples {
		if staging, err := b.far.Staging(zoneMost + frontMost); err == nil {
			m.staging, m.front, m.tail = staging, staging[:b.front], staging[b.front:n]
			ops = m.copies()
		}
	}
	ops = b.fillOps(ops, 0, b.bytes, fillDead)
	fence, err := b.far.Queue(on, ops)
	switch {
	case err == nil && m.staging != nil:
		m.fence = fence
		d.samples = append(d.samples, m)
		return true
	case err == nil:
		b.far.Release(fence)
	case m.staging != nil:
		b.far.ReleaseStaging(m.staging)
	}
	return err == nil
}

// copies are the operations that make the sample.
func (m *sample) copies() (ops []DeviceOp) {
	b := m.block
	for _, part := range []struct {
		at uint64
		to []byte
	}{{b.place - b.front, m.front}, {b.place + b.bytes, m.tail}} {
		if n := uint64(len(part.to)); n > 0 {
			ops = append(ops, DeviceOp{Addr: part.at, Bytes: n, To: part.to})
		}
	}
	return ops
}

// gather looks at the samples whose streams have come so far, and returns what is wrong with them. If all is set, it waits for the others. The lock is held.
func (d *debugState) gather(all bool, unit string) (wrong []string) {
	unfinished := map[Stream]bool{} // streams of which one was not done: those after it are not either
	left := d.samples[:0]
	for _, m := range d.samples {
		text, done := "", false
		if !unfinished[m.on] {
			text, done = m.check(all)
		}
		switch {
		case !done:
			unfinished[m.on] = true
			left = append(left, m)
		case text != "":
			wrong = append(wrong, text+m.block.text(unit))
		}
	}
	clear(d.samples[len(left):])
	d.samples = left
	return wrong
}

// gatherSome does so now and then, so that samples do not pile up.
func (d *debugState) gatherSome(unit string) []string {
	if len(d.samples)%someSamples != someSamples-1 {
		return nil
	}
	return d.gather(false, unit)
}

// check says what is wrong with a sample, "" if nothing is, or if it cannot be told because the driver failed. It reports false if the stream has not come so far,
// unless it is to wait.
func (m *sample) check(wait bool) (text string, done bool) {
	var err error
	if wait {
		err = m.far.Sync(m.fence)
	} else if done, err = m.far.Done(m.fence); !done && err == nil {
		return "", false
	}
	if err == nil {
		text = m.block.damage(m.front, m.tail)
	}
	m.far.Release(m.fence)
	m.far.ReleaseStaging(m.staging)
	return text, true
}
