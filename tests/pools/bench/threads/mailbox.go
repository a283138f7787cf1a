package threads

import "sync/atomic"

const (
	letters = 512 // most blocks that are in a mailbox
	bundle  = 64  // blocks that are sent or received at a time: one at a time would cost more than the pools
)

// mailbox passes values from one worker to another, in order. The fields of each side are in separate cache lines. A side publishes its count when a
// bundle is complete, and reads the other's count only when its copy of it is used up.
type mailbox[T any] struct {
	slots [letters]T
	_     [128]byte
	put   struct { // the sender's
		at    uint64
		taken uint64 // when last read
		_     [112]byte
	}
	take struct { // the receiver's
		at  uint64
		put uint64
		_   [112]byte
	}
	sent     atomic.Uint64
	_        [120]byte
	received atomic.Uint64
	_        [120]byte
}

// room reports whether one more value fits.
func (m *mailbox[T]) room() bool {
	if m.put.at-m.put.taken < letters {
		return true
	}
	m.put.taken = m.received.Load()
	return m.put.at-m.put.taken < letters
}

// send adds a value; there must be room.
func (m *mailbox[T]) send(x T) {
	m.slots[m.put.at%letters] = x
	m.put.at++
	if m.put.at%bundle == 0 {
		m.sent.Store(m.put.at)
	}
}

// receive removes the oldest value.
func (m *mailbox[T]) receive() (x T, ok bool) {
	if m.take.at == m.take.put {
		if m.take.put = m.sent.Load(); m.take.at == m.take.put {
			return x, false
		}
	}
	x = m.slots[m.take.at%letters]
	m.take.at++
	if m.take.at%bundle == 0 {
		m.received.Store(m.take.at)
	}
	return x, true
}

// circle is a mailbox from each worker to the next.
type circle[T any] []mailbox[T]

// of returns the mailboxes that a worker receives from and sends to: with one worker, the same.
func (c circle[T]) of(i int) (in, out *mailbox[T]) { return &c[i], &c[(i+1)%len(c)] }

// empty calls f with each value in the mailboxes, after the workers have stopped.
func (c circle[T]) empty(f func(T)) {
	for i := range c {
		c[i].sent.Store(c[i].put.at)
		for x, ok := c[i].receive(); ok; x, ok = c[i].receive() {
			f(x)
		}
	}
}
