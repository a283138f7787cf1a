//go:build pooldebug

package runtime

// What a stream may be at work with is filled in the order of that stream, behind what it was given before, and nobody waits for it. So a block of
// AllocOn has work pending on it from the first, which the program does not know of: until that is done the block is not free for all, whatever the
// free of it says.

// fenceOn lays the red zones round a block, and fills it if it is to be, in the order of a stream. One that takes no work leaves them as they are.
func (s *sighting) fenceOn(on Stream, w *watching, g ground, fresh bool) {
	if s.bare || s.far == nil {
		return
	}
	front, tail := w.zones(s.bytes, g)
	chores := s.chores(nil, int64(s.bytes), tail, fillZone)
	chores = s.chores(chores, -int64(front), front, fillZone)
	if fresh {
		chores = s.chores(chores, 0, s.bytes, fillFresh)
	}
	if len(chores) == 0 {
		return
	}
	if m, err := s.far.Queue(on, chores); err == nil {
		s.front, s.tail, s.on, s.filled = front, tail, on, m
	}
}

// chores adds the filling of n bytes from an offset of the block on.
func (s *sighting) chores(list []Chore, from int64, n uint64, with byte) []Chore {
	for _, p := range parts(n) {
		if p[1] > 0 {
			list = append(list, Chore{Addr: s.place + uint64(from) + p[0], Bytes: p[1], Value: with})
		}
	}
	return list
}

// behind puts a free in its order, and returns the stream whose order that is, nil for one that is at once. It is the stream that the free names or, as
// long as the block has not been filled by the stream that it was allocated on, that one. The lock of the watch is held.
func (e *Engine) behind(b *sighting, s *Stream) *Stream {
	w := &e.watch
	m, on := b.filled, b.on
	done := m == 0
	if !done {
		done, _ = b.far.Done(m)
	}
	switch {
	case s == nil && (done || !w.sample(b, on)):
		if !done { // the stream takes no work
			_ = b.far.Sync(m)
		}
	case s == nil:
		s = &on
		addr, bytes := b.place/e.apart(), b.bytes
		b.free = func() error { return e.parkOn(on, addr, bytes) }
	default:
		if !done && *s != on && b.far.Wait(*s, m) != nil {
			_ = b.far.Sync(m)
		}
		w.sample(b, *s)
	}
	b.forget()
	return s
}

// forget gives the mark behind the filling of a block back.
func (s *sighting) forget() {
	if s.filled != 0 {
		s.far.Forget(s.filled)
		s.filled = 0
	}
}

// parkOn gives a block to the suballocator that is free for all when a stream has passed.
func (e *Engine) parkOn(s Stream, addr, bytes uint64) error {
	e.lock()
	v := e.parking.Park(addr, bytes)
	due := v == Freed && e.lanes.Park(s, addr, bytes)
	if e.Waiting() {
		e.Serve()
	}
	e.finish()
	if due {
		e.CloseDue()
	}
	if v != Freed {
		return e.FreedOn(s, v, addr, bytes)
	}
	return nil
}
