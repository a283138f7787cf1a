package threads

import "sync/atomic"

const (
	letters = 512 // how many blocks are on their way between two workers, at most
	bundle  = 64  // how many go, or leave room, at a time: else handing them over would cost more than the pools do
)

// mailbox hands things from one worker to another, in order. Each side has lines of the cache of its own, tells the other when a bundle is
// done, and looks at what that one told only when what it knows of it is used up.
type mailbox[T any] struct {
	slots [letters]T
	_     [128]byte
	put   struct { // the sender's
		at    uint64
		taken uint64 // as of the last look
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

// room reports whether one more fits.
func (m *mailbox[T]) room() bool {
	if m.put.at-m.put.taken < letters {
		return true
	}
	m.put.taken = m.received.Load()
	return m.put.at-m.put.taken < letters
}

// send puts one in; there must be room.
func (m *mailbox[T]) send(x T) {
	m.slots[m.put.at%letters] = x
	m.put.at++
	if m.put.at%bundle == 0 {
		m.sent.Store(m.put.at)
	}
}

// receive takes the oldest out.
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

// empty calls f with all that is on its way, when the workers have stopped.
func (c circle[T]) empty(f func(T)) {
	for i := range c {
		c[i].sent.Store(c[i].put.at)
		for x, ok := c[i].receive(); ok; x, ok = c[i].receive() {
			f(x)
		}
	}
}
