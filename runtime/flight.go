//go:build pooltrace

package runtime

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// defaultFlight is how many events each pool keeps unless SetFlightRecorder says otherwise; 48 bytes each.
const defaultFlight = 4096

// flightSize is how many events the rings have that are made from now on, a power of two; 0: pools keep none.
var flightSize atomic.Int64

func init() { flightSize.Store(defaultFlight) }

// setFlightRecorder is [SetFlightRecorder].
func setFlightRecorder(events int) error {
	return setPower(&flightSize, events, 1<<24, "set flight recorder", "the number of events is from 0 to 16777216")
}

// setPower sets a number to n, rounded up to a power of two, if n is from 0 to most, a power of two itself.
func setPower(to *atomic.Int64, n, most int, op, detail string) error {
	if n < 0 || n > most {
		err := errAllPools(op, ErrBadSize, detail)
		err.Request = int64(n)
		return err
	}
	if n > 0 {
		n = 1 << bits.Len(uint(n-1))
	}
	to.Store(int64(n))
	return nil
}

// flight is a pool's ring of events. Any number of goroutines write to it without waiting for each other: each claims a number, and so a slot. Who reads
// takes a slot as valid whose number is what it has to be, before and after.
type flight struct {
	claimed atomic.Uint64
	ring    atomic.Pointer[[]flightSlot]
	guard   flightLock
	clock   atomic.Int64 // read anew by every 16th event, as it costs more than all the rest
}

// flightSlot is an event. Its number is 0 while it is being written.
type flightSlot struct {
	number              uint64
	time                int64
	addr, bytes, stream uint64
	kind                FlightKind
	site                uint32
}

// claim returns the number of the next event.
func (f *flight) claim() uint64 { return f.claimed.Add(1) }

// put keeps an event whose number was claimed.
func (f *flight) put(number uint64, kind FlightKind, addr, bytes, stream uint64, site uint32) {
	ring := f.slots()
	if len(ring) == 0 {
		return
	}
	if number&15 == 1 {
		f.clock.Store(time.Now().UnixNano())
	}
	s := &ring[number&uint64(len(ring)-1)]
	f.guard.lock()
	s.number = 0
	s.time, s.addr, s.bytes, s.stream, s.kind, s.site = f.clock.Load(), addr, bytes, stream, kind, site
	s.number = number
	f.guard.unlock()
}

// slots is the ring, of the size that is wanted now.
func (f *flight) slots() []flightSlot {
	if r := f.ring.Load(); r != nil && len(*r) == int(flightSize.Load()) {
		return *r
	}
	return f.newRing()
}

// newRing makes a ring.
//
//go:noinline
func (f *flight) newRing() []flightSlot {
	ring := make([]flightSlot, flightSize.Load())
	f.ring.Store(&ring)
	return ring
}

// events lists what the ring has, in order. What is overwritten meanwhile is left out.
func (f *flight) events() (all []FlightEvent) {
	r := f.ring.Load()
	if r == nil || len(*r) == 0 {
		return nil
	}
	last := f.claimed.Load()
	first := uint64(1)
	if n := uint64(len(*r)); last > n {
		first = last - n + 1
	}
	for number := first; number <= last; number++ {
		s := &(*r)[number&uint64(len(*r)-1)]
		f.guard.lock()
		before := s.number
		c := *s
		after := s.number
		f.guard.unlock()
		if before == number && after == number {
			all = append(all, FlightEvent{Number: number, Time: time.Unix(0, c.time), Kind: c.kind, Addr: c.addr, Bytes: c.bytes, Stream: c.stream, Site: c.site})
		}
	}
	return all
}

// flightKinds are those of the pool's events.
var flightKinds = map[EventKind]FlightKind{EventGrowth: FlightGrow, EventTrim: FlightTrim, EventFailure: FlightFail}
