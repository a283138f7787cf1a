//go:build pooltrace

package trace

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/poolgen/poolgen/runtime/internal/build"
)

// defaultFlight is the number of events that a pool keeps until SetFlightRecorder is called. An event takes 48 bytes.
const defaultFlight = 4096

// flightSize is the number of events of a ring, a power of two; 0 if pools keep none.
var flightSize atomic.Int64

func init() { flightSize.Store(defaultFlight) }

// SetFlightRecorder sets the number of events of a ring, from 0 to MostEvents, rounded up to a power of two. A ring of another size is replaced at its next event.
func SetFlightRecorder(events int) error {
	flightSize.Store(upToPower(events))
	return nil
}

// upToPower rounds up to a power of two; 0 stays 0.
func upToPower(n int) int64 {
	if n == 0 {
		return 0
	}
	return 1 << bits.Len(uint(n-1))
}

// Event is one of the last events of a pool.
type Event struct {
	Number              uint64 // number among the events of the pool, from 1 on; 0 while the event is written
	Time                int64  // in nanoseconds since 1970; may be the time of an event up to 15 earlier
	Addr, Bytes, Stream uint64
	Kind                uint8
	Site                uint32 // number of a site of Samples; 0 without one
}

// Flight is the ring of the last events of a pool. Goroutines write to the ring without waiting for each other: each claims a number, which determines the slot. A
// reader takes a slot as valid if the slot has the expected number before and after the reader copies it.
type Flight struct {
	claimed atomic.Uint64
	ring    atomic.Pointer[[]Event]
	guard   sync.Mutex   // unless ordered
	clock   atomic.Int64 // set by every 16th event, as reading the clock takes longer than the rest of Put
}

// ordered reports whether all processors see stores in the order in which they were made. The number of a slot is written first and last: then a reader that finds
// the number unchanged has read a whole event, and plain stores are much cheaper than atomic ones. The race detector does not accept that.
const ordered = !build.Race && (runtime.GOARCH == "amd64" || runtime.GOARCH == "386" || runtime.GOARCH == "s390x")

func (f *Flight) lock() {
	if !ordered {
		f.guard.Lock()
	}
}

func (f *Flight) unlock() {
	if !ordered {
		f.guard.Unlock()
	}
}

// Claim returns the number of the next event.
func (f *Flight) Claim() uint64 { return f.claimed.Add(1) }

// Put writes an event whose number was claimed.
func (f *Flight) Put(number uint64, kind uint8, addr, bytes, stream uint64, site uint32) {
	ring := f.slots()
	if len(ring) == 0 {
		return
	}
	if number&15 == 1 {
		f.clock.Store(time.Now().UnixNano())
	}
	s := &ring[number&uint64(len(ring)-1)]
	f.lock()
	s.Number = 0
	s.Time, s.Addr, s.Bytes, s.Stream, s.Kind, s.Site = f.clock.Load(), addr, bytes, stream, kind, site
	s.Number = number
	f.unlock()
}

// slots returns the ring, and replaces a ring whose size is not flightSize.
func (f *Flight) slots() []Event {
	if r := f.ring.Load(); r != nil && len(*r) == int(flightSize.Load()) {
		return *r
	}
	return f.newRing()
}

// newRing makes a ring. It is not inlined, so that slots is.
//
//go:noinline
func (f *Flight) newRing() []Event {
	ring := make([]Event, flightSize.Load())
	f.ring.Store(&ring)
	return ring
}

// Events returns the events of the ring, the oldest first. Events that are overwritten meanwhile are left out.
func (f *Flight) Events() (all []Event) {
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
		f.lock()
		before := s.Number
		c := *s
		after := s.Number
		f.unlock()
		if before == number && after == number {
			all = append(all, c)
		}
	}
	return all
}
