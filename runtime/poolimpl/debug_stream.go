//go:build pooldebug

package poolimpl

// A block that a stream may be working on is filled in the order of that stream, behind the work queued so far, and no caller waits for that. So a block of
// AllocOn has work pending on it from the start, of which the program knows nothing. Until that work has completed, the block is not free for other streams,
// even if the free names no stream.

// armOn queues the filling of the red zones on a stream, and with fresh that of the block. If the stream takes no work, the block has no red zones. The
// caller holds d.mu.
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

// fillOps adds the operations that fill n bytes from an offset of the block on.
func (r *blockRecord) fillOps(ops []DeviceOp, from int64, n uint64, with byte) []DeviceOp {
	for _, p := range parts(n) {
		if p[1] > 0 {
			ops = append(ops, DeviceOp{Addr: r.place + uint64(from) + p[0], Bytes: p[1], Value: with})
		}
	}
	return ops
}

// orderFree orders a free behind a stream, and returns that stream; nil: the free is done at once. It is the stream that the free names or, until the fill of
// an AllocOn has completed, the stream that the block was allocated on. The caller holds d.mu.
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
		s = new(Stream) // what most frees do not need
		*s = on
		b.stream = s
	default:
		if !done && *s != on && b.far.Wait(*s, fence) != nil {
			_ = b.far.Sync(fence)
		}
		d.sample(b, *s)
	}
	b.releaseFence()
	return s
}

// releaseFence releases the fence behind the fill of a block.
func (r *blockRecord) releaseFence() {
	if r.filled != 0 {
		_ = r.far.Release(r.filled)
		r.filled = 0
	}
}

// The red zones of a block that is freed on a stream are copied in the order of that stream, behind the work on the block, and checked when the stream has
// passed the copy. By then the memory may belong to another block.

// sample is a copy of red zones that a stream is making.
type sample struct {
	block       *blockRecord
	far         Inspector
	on          Stream
	fence       Fence // behind the copy
	staging     []byte
	front, tail []byte // parts of staging
}

const (
	mostSamples = 4096 // most samples of a pool: when streams make no progress, further blocks are not checked
	someSamples = 64   // after so many more samples, the completed ones are checked
)

// sample has a stream copy the red zones of a block that is freed on it, and fill the block. It reports false if the stream takes no work. The caller holds
// d.mu.
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
		_ = b.far.Release(fence)
	case m.staging != nil:
		b.far.ReleaseStaging(m.staging)
	}
	return err == nil
}

// copies returns the operations that make the sample.
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

// gather checks the samples that are complete, and returns what is wrong with them. With all, it waits for the others and checks them too. The caller holds
// d.mu.
func (d *debugState) gather(all bool, unit string) (wrong []string) {
	unfinished := map[Stream]bool{} // streams with a copy that is not complete: their later copies are not either
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

// gatherSome calls gather once in someSamples frees on streams, so that samples do not pile up. The caller holds d.mu.
func (d *debugState) gatherSome(unit string) []string {
	if len(d.samples)%someSamples != someSamples-1 {
		return nil
	}
	return d.gather(false, unit)
}

// check returns what is wrong with a sample: "" if nothing is, or if the driver failed and the answer is unknown. With wait it waits for the stream.
// Otherwise it reports false if the stream has not passed the copy.
func (m *sample) check(wait bool) (text string, done bool) {
	var err error
	if wait {
		err = m.far.Sync(m.fence)
	} else if done, err = m.far.Done(m.fence); !done && err == nil {
		return "", false
	}
	if err == nil && m.far.Staged(m.staging) {
		text = zoneDamage(m.front, m.tail, m.block.bytes)
	}
	_ = m.far.Release(m.fence)
	m.far.ReleaseStaging(m.staging)
	return text, true
}
