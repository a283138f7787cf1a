package poolimpl

import (
	"slices"
	"testing"
)

// checkInvariants checks the invariants of an engine's parts. They hold whenever its lock is free, even while calls are in progress.
func checkInvariants(t testing.TB, e *Engine) {
	t.Helper()
	if e.config == nil {
		return
	}
	e.lock()
	defer e.unlock()
	fault := func(holds bool, format string, args ...any) {
		t.Helper()
		if !holds {
			t.Errorf(format, args...)
		}
	}
	e.limits.check(fault)
	fault(e.activity.limiting || e.limits.reserved+e.limits.growing <= e.limits.bound, "reserved above the bound: %+v", e.limits)
	fault(e.config.Imported || e.config.Budget.Reserved() >= 0 && (e.config.Budget == nil || e.config.Budget.Reserved() >= e.limits.reserved+e.limits.growing),
		"the budget has %d reserved: %+v", e.config.Budget.Reserved(), e.limits)
	fault(int(e.waiters.count.Load()) == len(e.waiters.queue)+e.activity.sleepers, "waiting %d with %d in the queue and %d sleepers", e.waiters.count.Load(), len(e.waiters.queue), e.activity.sleepers)
	fault(!slices.ContainsFunc(e.waiters.queue, func(w *waiter) bool { return w.served }), "a waiter in the queue was served")
	a := &e.activity
	fault(a.driverCalls >= 0 && a.sleepers >= 0, "%d calls of the driver's pool, %d sleepers", a.driverCalls, a.sleepers)
	fault(e.figures.peakReserved >= e.limits.reserved, "peak %d: %+v", e.figures.peakReserved, e.limits)
	fault(e.foreign.sound(), "foreign blocks: %+v", &e.foreign)
	e.streams.check(fault, e.memory.Timeline != noTimeline{})
	if e.life.closed {
		fault(e.life.opened && e.life.primed && e.streams.pending() == 0, "a closed pool: %+v with %d pending", &e.life, e.streams.pending())
	}
}

// fault reports an invariant that does not hold.
type fault func(holds bool, format string, args ...any)

func (l limits) check(fault fault) {
	fault(l.bound <= l.limit && l.reserved+l.growing <= l.limit, "above the limit: %+v", l)
	fault(l.growing >= 0 && l.releasing >= 0 && l.releasing <= l.reserved && l.chunks >= 0, "what comes and goes: %+v", l)
}

// sound reports whether the figures match the blocks.
func (f *foreign) sound() bool {
	live, fromSource := 0, uint64(0)
	for _, b := range f.blocks {
		if b.bytes != 0 {
			live++
			if b.chunk.Size != 0 {
				fromSource++
			}
		}
	}
	stays := int64(0)
	for _, c := range slices.Concat(f.direct.unreturned, f.direct.kept) {
		stays += c.Size
	}
	return live == f.live && fromSource == f.direct.usage.Live && stays <= f.direct.reserved
}

func (s *streams) check(fault fault, distinct bool) {
	s.queues.check(fault)
	fault(s.anyInFlight.Load() == (len(s.inFlight) > 0), "anyInFlight %v, with %d in flight", s.anyInFlight.Load(), len(s.inFlight))
	var fences []Fence
	for i := range s.queues.list {
		for _, sealed := range s.queues.list[i].sealed {
			fences = append(fences, sealed.fence)
		}
	}
	for i := range s.inFlight {
		f := &s.inFlight[i]
		fences = append(fences, f.fence)
		for k, r := range f.ranges {
			fault(r.Size > 0 && (k == 0 || f.ranges[k-1].Addr+f.ranges[k-1].Size < r.Addr), "ranges in flight: %v", f.ranges)
		}
	}
	for _, p := range s.pendingForeign {
		if p.fence != 0 {
			fences = append(fences, p.fence)
		}
	}
	if !distinct {
		return
	}
	slices.Sort(fences)
	fault(len(slices.Compact(slices.Clone(fences))) == len(fences), "a fence stands for two things: %v", fences)
	for _, fence := range s.release {
		_, needed := slices.BinarySearch(fences, fence)
		fault(!needed, "fence %d was dropped, and is needed", fence)
	}
}

// check checks that each block is in one queue, or unused.
func (qs *streamQueues) check(fault fault) {
	count, unused, seen := 0, 0, map[uint64]bool{}
	if qs.last.bytes != 0 {
		seen[qs.last.addr] = true
	}
	for i := range qs.list {
		q := &qs.list[i]
		if at := slices.IndexFunc(qs.list, func(other streamQueue) bool { return other.stream == q.stream }); at != i {
			fault(false, "stream %v has two queues", q.stream)
		}
		count += qs.checkQueue(fault, q, seen)
		last := q.done
		for _, e := range q.sealed {
			if e.number <= last || e.number >= q.epoch || e.fence == 0 {
				fault(false, "queue %d at epoch %d, done %d: sealed %v", i, q.epoch, q.done, q.sealed)
			}
			last = e.number
		}
	}
	for at := qs.free; at != 0; at = qs.blocks[at].newer {
		unused++
	}
	if count != qs.count || len(qs.blocks) > 0 && count+unused+1 != len(qs.blocks) || len(seen) != qs.Count() {
		fault(false, "%d blocks in queues, counted %d; %d unused of %d; %d addresses", count, qs.count, unused, len(qs.blocks), len(seen))
	}
}

// checkQueue walks a queue by age and by size, records the addresses, and returns how many blocks it has.
func (qs *streamQueues) checkQueue(fault fault, q *streamQueue, seen map[uint64]bool) (count int) {
	unsealed, older, tops := 0, int32(0), map[uint64]int32{}
	for at := q.oldest; at != 0; at = qs.blocks[at].newer {
		b := &qs.blocks[at]
		if b.older != older || older != 0 && qs.blocks[older].epoch > b.epoch || b.epoch <= q.done || b.bytes == 0 || b.before != tops[b.bytes] {
			fault(false, "block %d behind %d, and behind %d of its size: %+v", at, older, tops[b.bytes], *b)
		}
		seen[b.addr], tops[b.bytes], older = true, at, at
		if b.epoch == q.epoch {
			unsealed++
		}
		count++
	}
	if q.newest != older || q.unsealed != unsealed {
		fault(false, "newest %d, not %d; unsealed %d, not %d", older, q.newest, unsealed, q.unsealed)
	}
	for bytes, top := range tops {
		if q.size == bytes && q.top != top || q.size != bytes && q.sizes[bytes] != top {
			fault(false, "newest of %d bytes: %d", bytes, top)
		}
	}
	return count
}
