package poolimpl

import (
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// figures are counted with mu held; events are sent after it is released. published has a lock of its own: other goroutines read it of a pool without a lock.
type figures struct {
	peakReserved, failures, softCrossings, streamWaits int64

	shownPeak int64 // peakReserved since ResetPeaks: policies go by what the pool has ever held
	peakLive  int64 // the most bytes that growth has seen live, of a core that hoards

	events    []poolrt.Event // to be sent after the lock is released
	published *published     // nil in a pool with a lock

	name    *poolName
	limits  *limits
	tracing *tracing
}

// beyondLive returns by how many bytes the pool, with size bytes more, would exceed five fourths of the most bytes that were ever live. What it was primed with does
// not count. The most is what growth has seen: beyondLive looks at what is live, with the bytes of the request, where as much as it knows of is exceeded.
func (f *figures) beyondLive(e *Engine, bytes uint64, size int64) int64 {
	held := e.limits.held()
	beyond := func() int64 { return max(min(held+size-f.peakLive-f.peakLive/4, held-e.limits.primed), 0) }
	if beyond() > 0 {
		u := e.usage()
		if e.core.shared != nil {
			u.PeakBytes = 0 // an estimate, which may be far too high
		}
		f.peakLive = max(f.peakLive, int64(u.PeakBytes), int64(u.LiveBytes+bytes))
	}
	return beyond()
}

// queueEvent keeps an event until the lock is released. Without hooks it costs one load.
func (f *figures) queueEvent(kind poolrt.EventKind, bytes int64, err error) {
	f.queueEventFor(kind, bytes, err, "")
}

// queueEventFor is queueEvent for what happens because of another pool.
func (f *figures) queueEventFor(kind poolrt.EventKind, bytes int64, err error, other string) {
	if poolrt.Traced {
		f.tracing.event(kind, bytes)
	}
	if !registry.Listening() {
		return
	}
	f.events = append(f.events, poolrt.Event{Pool: f.name.get(), Kind: kind, Bytes: bytes, Reserved: f.limits.reserved, Err: err, For: other})
}

// queueGiven keeps that event until the lock is released.
func (f *figures) queueGiven(n int64, to string) {
	if n > 0 {
		f.queueEventFor(poolrt.EventReclaim, n, nil, to)
	}
}

// crossSoftLimit counts a crossing of the soft limit.
func (f *figures) crossSoftLimit() {
	f.softCrossings++
	f.queueEvent(poolrt.EventSoftLimit, f.limits.reserved, nil)
}

func (e *Engine) stats() poolrt.Stats {
	u := e.counted()
	s := poolrt.Stats{
		Live:          int64(u.Live),
		LiveBytes:     int64(u.LiveBytes),
		PeakBytes:     int64(u.PeakBytes),
		Reserved:      e.limits.reserved,
		PeakReserved:  e.figures.shownPeak,
		Limit:         e.limits.limit,
		Chunks:        e.allocations(u),
		Allocs:        int64(u.Allocs),
		Failures:      e.figures.failures,
		LargestFree:   int64(u.LargestFree),
		RoundingBytes: int64(u.Occupied - u.LiveBytes),
		Cached:        int64(u.Cached),
		Retired:       int64(u.Retired),
		Pending:       int64(e.streams.pending()),
		Guarded:       e.guards.count(),
		SoftCrossings: e.figures.softCrossings,
		StreamWaits:   e.figures.streamWaits,
		Given:         e.budget.Given(),
	}
	s.Unreturned, s.UnreturnedBytes = e.unreturned()
	e.life.sleep.describe(&s, &e.memory)
	e.graphs.describe(&s)
	if e.core.shared != nil && !e.config.Imported { // the parts may have reached their peaks at different times
		s.PeakBytes = min(s.PeakBytes, s.PeakReserved)
	}
	if u.Allocs > 0 {
		s.Frees = int64(u.Allocs - u.Live)
	}
	return s
}

// note updates the peaks of the reserved bytes.
func (f *figures) note(reserved int64) {
	f.peakReserved, f.shownPeak = max(f.peakReserved, reserved), max(f.shownPeak, reserved)
}

// unreturned counts what the pool does not use and could not give back.
func (e *Engine) unreturned() (n, bytes int64) {
	for _, chunks := range [][]Chunk{e.foreign.direct.unreturned, e.graphs.unreturned, e.life.unreturned} {
		n, bytes = n+int64(len(chunks)), bytes+sizeOf(chunks)
	}
	if d := e.core.driver; d != nil {
		unused, size := d.unreturned()
		n, bytes = n+unused, bytes+size
	}
	return n + int64(e.streams.fences.notReleased()+len(e.memory.endings)), bytes
}

// counted is usage from the view of the pool's user: blocks in the quarantine are free.
func (e *Engine) counted() Usage {
	u := e.usage()
	if Debug && !e.life.closed && !e.config.Uncounted {
		e.observed.debug.account(&u)
	}
	return u
}

// usage is what the core and the source have handed out. A closed pool has the counters alone.
func (e *Engine) usage() Usage {
	if e.life.closed {
		return e.life.final
	}
	return e.foreign.direct.with(e.core.Usage(), e.config)
}

// with adds the direct blocks to the counts of the core.
func (d *direct) with(u Usage, c *Config) Usage {
	if d.usage.Allocs == 0 {
		return u
	}
	u.Live += d.usage.Live
	u.LiveBytes += d.usage.LiveBytes
	u.Occupied += d.usage.Occupied
	if !c.Unmetered {
		u.Allocs += d.usage.Allocs
		d.usage.PeakBytes = max(d.usage.PeakBytes, u.PeakBytes, u.LiveBytes)
		u.PeakBytes = d.usage.PeakBytes
	}
	return u
}

// Leaks lists the live blocks by the calls that allocated them, most bytes first. With the tag pooltrace alone, and without tags in a pool with the key profile,
// the list is estimated from a sample; in other pools it is nil without a tag. The caller may hold e.mu or not.
func (e *Engine) Leaks() []poolrt.Leak { return e.observed.leaks(e) }

// describe builds the description of the pool. Cost: a pass over the chunks.
func (e *Engine) describe() poolrt.PoolInfo {
	c := e.config
	i := poolrt.PoolInfo{
		Name: e.name.get(), Allocator: e.memory.Allocator, Requested: e.life.requested(e.config), Reason: e.memory.Reason,
		Suballocator: c.Suballocator, AllAtOnce: c.Uncounted, Fit: c.Fit, Concurrency: "mutex", Ordering: c.Ordering, Device: -1, Unit: c.unit(),
		ItemSize: c.ItemSize, ChunkSize: e.memory.unit, MaxLimit: c.maxLimit(), Budget: (*Budget)(e.budget.Budget()).Info(), Guarantee: e.guarantee(), Priority: e.priority, Stats: e.stats(), Seen: time.Now(),
	}
	switch {
	case !c.Locked:
		i.Concurrency = "none"
	case e.core.shared != nil:
		i.Concurrency = "sharded"
	}
	if e.memory.Timeline != (noTimeline{}) {
		i.Device = e.memory.Device
	}
	return i
}
