package poolimpl

import (
	"cmp"
	"maps"
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
		if !holds {
			t.Helper() // here, as it takes more time than the rest
			t.Errorf(format, args...)
		}
	}
	e.limits.check(fault)
	fault(e.activity.limiting || e.limits.reserved+e.limits.growing <= e.limits.bound, "reserved above the bound: %+v", e.limits)
	fault(e.config.Imported || e.budget.Budget().Held() >= 0 && (e.budget == nil || e.budget.Budget().Held() >= e.limits.reserved+e.limits.growing),
		"the budget has %d reserved: %+v", e.budget.Budget().Held(), e.limits)
	fault(int(e.waiters.count.Load()) == len(e.waiters.queue)+e.activity.sleepers, "waiting %d with %d in the queue and %d sleepers", e.waiters.count.Load(), len(e.waiters.queue), e.activity.sleepers)
	fault(!slices.ContainsFunc(e.waiters.queue, func(w *waiter) bool { return w.served }), "a waiter in the queue was served")
	a := &e.activity
	fault(a.driverCalls >= 0 && a.sleepers >= 0, "%d calls of the driver's pool, %d sleepers", a.driverCalls, a.sleepers)
	fault(e.figures.peakReserved >= e.limits.reserved, "peak %d: %+v", e.figures.peakReserved, e.limits)
	fault(e.foreign.sound(), "foreign blocks: %+v", &e.foreign)
	e.streams.check(fault, e.core.shared != nil, e.memory.Timeline != noTimeline{})
	if l, ok := e.memory.layout.(*paged); ok && !e.life.closed {
		l.check(fault)
	}
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

// check checks the streams of a pool that shows to callers without a lock what is in flight, or does not, and whose fences are distinct, or are not.
func (s *streams) check(fault fault, shows, distinct bool) {
	s.queues.check(fault)
	fault(s.shown.any() == (shows && len(s.inFlight) > 0), "shown: %v, with %d in flight", s.shown.any(), len(s.inFlight))
	fault(s.anyForeign.Load() == (len(s.pendingForeign) > 0), "anyForeign %v, with %d", s.anyForeign.Load(), len(s.pendingForeign))
	fault(s.detour == (s.resting || len(s.inFlight) > 0), "detour: %v, with %d in flight", s.detour, len(s.inFlight))
	var fences []Fence
	for _, q := range s.queues.list {
		q.lock()
		for _, sealed := range q.sealed {
			fences = append(fences, sealed.fence)
		}
		q.unlock()
	}
	var all rangesInFlight
	for _, f := range s.inFlight {
		fault(len(f.marks) > 0 && s.inFlightOf(f.stream) == f, "in flight of %v: %d marks", f.stream, len(f.marks))
		for k, m := range f.marks {
			fences = append(fences, m.fence)
			fault(m.number <= s.marked && (k == 0 || f.marks[k-1].number < m.number), "marks in flight: %v", f.marks)
		}
		for k, p := range f.ranges {
			fault(p.stream == f.stream.ID && slices.ContainsFunc(f.marks, func(m mark) bool { return m.number == p.mark }), "a range of mark %d; marks in flight: %v", p.mark, f.marks)
			fault(k == 0 || f.ranges[k-1].end() <= p.Addr, "ranges in flight: %v", f.ranges)
		}
		all = append(all, f.ranges...)
	}
	slices.SortFunc(all, func(a, b rangeInFlight) int { return cmp.Compare(a.Addr, b.Addr) })
	if shown := s.shown.ranges.Load(); shown != nil {
		fault(slices.Equal(*shown, all), "shown: %v, in flight: %v", *shown, all)
	}
	for k, p := range all {
		fault(p.Size > 0 && (k == 0 || all[k-1].end() <= p.Addr), "ranges in flight of all streams: %v", all)
	}
	for _, p := range s.pendingForeign {
		if p.fence != 0 {
			fences = append(fences, p.fence)
		}
	}
	if !distinct {
		return
	}
	fences = slices.DeleteFunc(fences, func(f Fence) bool { return f == Passed })
	slices.Sort(fences)
	fault(len(slices.Compact(slices.Clone(fences))) == len(fences), "a fence stands for two things: %v", fences)
	s.fences.mu.Lock()
	defer s.fences.mu.Unlock()
	for _, fence := range s.fences.dropped {
		_, needed := slices.BinarySearch(fences, fence)
		fault(!needed, "fence %d was dropped, and is needed", fence)
	}
}

// check checks the places that pages have left: nothing is there, and who has to pass a mark does.
func (l *paged) check(fault fault) {
	streams := map[uint64]int{}
	for _, f := range l.e.streams.inFlight {
		for k, x := range f.left {
			streams[x.addr]++
			fault(k == 0 || f.left[k-1].mark <= x.mark, "places left: %v", f.left)
			fault(slices.ContainsFunc(f.marks, func(m mark) bool { return m.number == x.mark }), "a place left until mark %d; marks in flight: %v", x.mark, f.marks)
		}
	}
	fault(maps.Equal(streams, l.left), "places left: %v, of streams: %v", l.left, streams)
	for addr := range l.left {
		x := Extent{addr, uint64(l.Page)}
		fault(!l.e.streams.inFlightAt(x.Addr, x.Size) && len(l.core.Holes(x)) == 0, "something is in flight at %#x, which a page has left, or memory may come", addr)
		fault(!slices.ContainsFunc(l.core.FreePages(), func(y Extent) bool { return len(y.without(x)) != 1 || y.without(x)[0] != y }), "memory at %#x, which a page has left", addr)
	}
}

// check checks that each block is in one queue, or unused.
func (qs *streamQueues) check(fault fault) {
	seen := map[uint64]bool{}
	for i, q := range qs.list {
		if at := slices.IndexFunc(qs.list, func(other *StreamQueue) bool { return other.stream == q.stream }); at != i {
			fault(false, "stream %v has two queues", q.stream)
		}
		fault(qs.table.Load().find(q.stream.ID) == q, "stream %v is not found", q.stream)
		q.lock()
		q.check(fault, seen)
		q.unlock()
	}
	for _, c := range qs.table.Load().all() {
		fault(c.queue == nil || slices.Contains(qs.list, c.queue), "the table has a queue of stream %v", c.id)
	}
}

func (t *queueTable) all() []queueCell {
	if t == nil {
		return nil
	}
	return t.cells
}

// check checks a queue, and records the addresses of its blocks.
func (q *StreamQueue) check(fault fault, seen map[uint64]bool) {
	count, unused := q.checkBlocks(fault, seen), 0
	for at := q.free; at != 0; at = q.blocks[at].newer {
		unused++
	}
	if len(q.blocks) > 0 && count+unused+1 != len(q.blocks) {
		fault(false, "%d blocks, %d unused of %d", count, unused, len(q.blocks))
	}
	for _, addr := range q.run.addrs[:q.run.n] {
		fault(!seen[addr], "block %d is twice in queues", addr)
		seen[addr] = true
		count++
	}
	fault(count == q.pending(), "%d blocks of stream %v, counted %d", count, q.stream, q.pending())
	last := q.done
	for _, e := range q.sealed {
		if e.number <= last || e.number >= q.epoch || e.fence == 0 {
			fault(false, "stream %v at epoch %d, done %d: sealed %v", q.stream, q.epoch, q.done, q.sealed)
		}
		last = e.number
	}
}

// checkBlocks walks a queue by age and by size, records the addresses, and returns how many linked blocks it has.
func (q *StreamQueue) checkBlocks(fault fault, seen map[uint64]bool) (count int) {
	unsealed, older, tops := 0, int32(0), map[uint64]int32{}
	for at := q.oldest; at != 0; at = q.blocks[at].newer {
		b := &q.blocks[at]
		if b.older != older || older != 0 && q.blocks[older].epoch > b.epoch || b.epoch <= q.done || b.bytes == 0 || b.before != tops[b.bytes] {
			fault(false, "block %d behind %d, and behind %d of its size: %+v", at, older, tops[b.bytes], *b)
		}
		fault(!seen[b.addr], "block %d is twice in queues", b.addr)
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
		fault(q.sizes.at(bytes).number == top, "newest of %d bytes: %d", bytes, top)
	}
	fault(q.sizes.used == len(tops), "%d sizes, counted %d", len(tops), q.sizes.used)
	return count
}
