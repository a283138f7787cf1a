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

// defaultFlight is how many events each pool keeps unless SetFlightRecorder says otherwise; 48 bytes each.
const defaultFlight = 4096

// flightSize is how many events the rings have that are made from now on, a power of two; 0: pools keep none.
var flightSize atomic.Int64

func init() { flightSize.Store(defaultFlight) }

// SetFlightRecorder sets how many events the rings have that are made from now on, from 0 to MostEvents, rounded up to a power of two.
func SetFlightRecorder(events int) error {
	flightSize.Store(upToPower(events))
	return nil
}

// upToPower rounds up to a power of two; 0 stays.
func upToPower(n int) int64 {
	if n == 0 {
		return 0
	}
	return 1 << bits.Len(uint(n-1))
}

// Event is one of the last things that happened to a pool.
type Event struct {
	Number              uint64 // from 1, of the pool's events; 0 while it is being written
	Time                int64  // in nanoseconds since 1970, of one of the 16 events before, at the most
	Addr, Bytes, Stream uint64
	Kind                uint8
	Site                uint32 // of Samples
}

// Flight is a pool's ring of events. Any number of goroutines write to it without waiting for each other: each claims a number, and so a slot. Who reads
// takes a slot as valid whose number is what it has to be, before and after.
type Flight struct {
	claimed atomic.Uint64
	ring    atomic.Pointer[[]Event]
	guard   sync.Mutex   // unless ordered
	clock   atomic.Int64 // read anew by every 16th event, as it costs more than all the rest
}

// ordered says that all processors see stores in the order in which they were made. Then the number of a slot, written first and last, tells a reader
// whether the rest is whole, and plain stores cost nothing beside atomic ones. The race detector does not accept that.
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

// Put keeps an event whose number was claimed.
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

// slots is the ring, of the size that is wanted now.
func (f *Flight) slots() []Event {
	if r := f.ring.Load(); r != nil && len(*r) == int(flightSize.Load()) {
		return *r
	}
	return f.newRing()
}

// newRing makes a ring.
//
//go:noinline
func (f *Flight) newRing() []Event {
	ring := make([]Event, flightSize.Load())
	f.ring.Store(&ring)
	return ring
}

// Events lists what the ring has, in order. What is overwritten meanwhile is left out.
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
