package poolimpl

import (
	"cmp"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// life is opened once and closed once. After closing, the pool has no chunks except unreturned, and final does not change.
type life struct {
	opened     bool        // the first use has happened
	primed     bool        // prime was tried
	closed     bool        // Close has succeeded
	sweeps     uint64      // times that many blocks were freed at once
	badItem    error       // why the item type cannot live in a pool
	final      Usage       // the counters when the pool was closed
	unreturned []Chunk     // chunks that the source refused to take back; each Close tries them again
	trimAt     time.Time   // when the next idle chunk should go back; zero: none
	allocator  string      // set by WithAllocator, otherwise Config.Allocator; "" in an imported pool
	device     int         // set by OnDevice, otherwise NoDevice
	prime      int64       // bytes that the pool reserves when it is opened
	trim       *TrimPolicy // the policy in force; nil: keep all chunks
	thrash     thrash      // of the chunks that growth gives back
	sleep      sleep
}

// TrimPolicy is [poolrt.TrimPolicy], with what the engine asks of it.
type TrimPolicy poolrt.TrimPolicy

// onFree returns the policy that applies to frees, or nil.
func (p *TrimPolicy) onFree() *TrimPolicy {
	if p == nil || p.Growth {
		return nil
	}
	return p
}

// reportsEmptied reports whether the core's verdict on a free says that a chunk or a page became empty.
func (c *Config) reportsEmptied() bool { return c.Trim.onFree() != nil }

// delays reports whether empty chunks stay for a while before they are returned.
func (p *TrimPolicy) delays() bool { return p != nil && p.Idle > 0 }

// excess returns how many of the held bytes TrimPolicy.Growth returns before size bytes are added: as many as the pool would then hold beyond its peak,
// without those that the policy keeps.
func (p *TrimPolicy) excess(size, held, peak int64) int64 {
	if p == nil || !p.Growth || size > poolrt.NoLimit-held {
		return 0
	}
	return max(min(held+size-peak, held-p.Keep), 0)
}

// schedule makes expire look at the chunks at the given time, or earlier if that is due already.
func (l *life) schedule(at time.Time) {
	if l.trimAt.IsZero() || at.Before(l.trimAt) {
		l.trimAt = at
	}
}

// idleFromNow returns the current time, for chunks that become empty now, and makes expire look at them when they have been empty for idle.
func (l *life) idleFromNow(idle time.Duration) time.Time {
	now := time.Now()
	l.schedule(now.Add(idle))
	return now
}

// requested is Requested for a caller that holds e.mu.
func (l *life) requested(c *Config) string { return cmp.Or(l.allocator, c.Allocator) }

// sleep is the sleep of a pool with pages. In state asleep all pages with blocks are without memory, except stuck, and the core has them all the same: so
// blocks keep their places, and can be freed. In no other state than awake does the core hand out blocks.
//
// activity.turning is set while one caller makes the pool fall asleep or wake: then each page is as the state says, or has memory and its contents.
type sleep struct {
	state sleepState
	still bool    // pages neither come nor go, apart from those that turning is about
	saved bool    // contents of the pages asleep are on the host
	stuck []Chunk // pages that the source refused to take back: they have memory and contents, and count as reserved
}

type sleepState uint8

const (
	awake   sleepState = iota
	resting            // Sleep waits for work; frees go on as usual
	asleep             // frees need no stream: nothing is at work
)

// setSleep changes the state.
func (e *Engine) setSleep(state sleepState) {
	e.life.sleep.state = state
	e.streams.resting = state != awake
	e.streams.setDetour()
	if Debug {
		e.observed.debug.setAsleep(state == asleep)
	}
}

// wakeUp makes the pool hand out blocks again.
func (e *Engine) wakeUp() {
	if e.life.closed {
		return
	}
	e.setSleep(awake)
	e.life.sleep.still, e.life.sleep.stuck, e.life.sleep.saved = false, nil, false
	e.wakeNext()
}

// mappedChunks lists the memory that the pool has: asleep, what the source refused to take back.
func (s *sleep) mapped(m *memory) []Chunk {
	if s.state == asleep {
		return s.stuck
	}
	return m.layout.chunks()
}

// stuckPages returns stuck as ranges of addresses.
func (s *sleep) stuckPages() []Extent { return extentsOf(s.stuck) }

// describe adds the figures of sleep. A pool asleep serves nothing.
func (s *sleep) describe(to *poolrt.Stats, m *memory) {
	if s.state == asleep {
		to.Asleep, to.LargestFree = 1, 0
	}
	if pages := m.sleeping(); pages != nil {
		to.Backing = pages.sleeper().Backing()
	}
}
