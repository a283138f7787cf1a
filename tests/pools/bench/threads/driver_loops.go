package threads

// calls are the functions of an allocator of the driver for one worker.
type calls[B any] struct {
	take func(bytes int64) (B, error)
	give func(B) error
	end  func() // may be nil
}

const (
	// few is the number of calls of the driver that a worker makes between two readings of the clock: some take longer than a turn should.
	few = 16
	// deviceBlock is the size of one block of device memory, the same as that of the pool.
	deviceBlock = 256
)

// opened are the calls of all workers.
type opened[B any] []calls[B]

func openAll[B any](n int, open func() calls[B]) opened[B] {
	all := make(opened[B], n)
	for i := range all {
		all[i] = open()
	}
	return all
}

func (all opened[B]) end() {
	for _, c := range all {
		if c.end != nil {
			c.end()
		}
	}
}

func driverPairs[B any](n int, open func() calls[B]) session {
	all := openAll(n, open)
	return session{each(n, func(i int) work {
		c := all[i]
		return func(int) int {
			for range few {
				check(c.give(must(c.take(deviceBlock))))
			}
			return few
		}
	}), all.end}
}

func driverChurn[B any](n int, open func() calls[B]) session {
	all, loads := openAll(n, open), loads[B](n, live)
	return session{each(n, func(i int) work {
		c, l := all[i], &loads[i]
		return func(int) int {
			if l.blocks == nil {
				l.fill(func(n int) B { return must(c.take(int64(n))) })
			}
			for range few {
				s := l.next()
				check(c.give(l.blocks[s.Slot]))
				l.blocks[s.Slot] = must(c.take(int64(s.Size)))
			}
			return few
		}
	}), func() {
		for i, c := range all {
			drop(loads[i:i+1], func(b B) { check(c.give(b)) })
		}
		all.end()
	}}
}

// driverMoved has each block freed by the next worker.
func driverMoved[B any](n int, open func() calls[B], size func(l *load[B]) int64) session {
	all, loads, boxes := openAll(n, open), loads[B](n, live), make(circle[B], n)
	return session{each(n, func(i int) work {
		c, l := all[i], &loads[i]
		in, out := boxes.of(i)
		return func(int) (done int) {
			for range few {
				if out.room() {
					out.send(must(c.take(size(l))))
					done++
				}
				if b, ok := in.receive(); ok {
					check(c.give(b))
				}
			}
			return done
		}
	}), func() {
		boxes.empty(func(b B) { check(all[0].give(b)) })
		all.end()
	}}
}
