package simulator

import (
	"slices"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// lists is a pool like those of RAPIDS' memory manager: free ranges are kept by stream, each list has one event, which a free records, and
// neighbours merge. Tests can plant faults.
type lists struct {
	*rig
	free  []*list
	stale bool // after a merge, the event of the list that got bigger is not recorded again
	blind bool // a block of another list is taken without a wait
}

// list has the ranges that were freed on one stream.
type list struct {
	stream abi.Stream
	event  abi.Event
	ranges []extent // by address, neighbours merged
}

type extent struct{ at, bytes uint64 }

// newLists makes a pool over memory, all free on the first stream.
func newLists(r *rig, bytes uint64, streams int) *lists {
	p := &lists{rig: r}
	for range streams {
		l := &list{stream: r.stream(), event: r.event()}
		p.free = append(p.free, l)
	}
	p.free[0].insert(extent{uint64(r.alloc(bytes)), bytes})
	return p
}

func (l *list) insert(e extent) {
	i, _ := slices.BinarySearchFunc(l.ranges, e, func(a, b extent) int { return int(int64(a.at - b.at)) })
	l.ranges = slices.Insert(l.ranges, i, e)
	if i+1 < len(l.ranges) && e.at+e.bytes == l.ranges[i+1].at {
		l.ranges[i].bytes += l.ranges[i+1].bytes
		l.ranges = slices.Delete(l.ranges, i+1, i+2)
	}
	if i > 0 && l.ranges[i-1].at+l.ranges[i-1].bytes == e.at {
		l.ranges[i-1].bytes += l.ranges[i].bytes
		l.ranges = slices.Delete(l.ranges, i, i+1)
	}
}

// take cuts a block from the first range that has room.
func (l *list) take(bytes uint64) (uint64, bool) {
	i := slices.IndexFunc(l.ranges, func(e extent) bool { return e.bytes >= bytes })
	if i < 0 {
		return 0, false
	}
	at := l.ranges[i].at
	l.ranges[i] = extent{at + bytes, l.ranges[i].bytes - bytes}
	if l.ranges[i].bytes == 0 {
		l.ranges = slices.Delete(l.ranges, i, i+1)
	}
	return at, true
}

// alloc takes a block for a stream: from its own list, from another one after a wait, or from its own after others were merged into it.
func (p *lists) alloc(own *list, bytes uint64) (uint64, bool) {
	at, ok := own.take(bytes)
	for _, other := range p.free {
		if ok || other == own {
			continue
		}
		if at, ok = other.take(bytes); ok && !p.blind {
			p.ok(p.StreamWaitEvent(p.ctx, own.stream, other.event))
		}
	}
	for _, other := range p.free {
		if ok || other == own || len(other.ranges) == 0 {
			continue
		}
		p.merge(own, other)
		at, ok = own.take(bytes)
	}
	if ok {
		p.ok(p.HandOut(abi.Ptr(at), bytes, p.ctx, own.stream))
	}
	return at, ok
}

// merge moves all of a list into another one.
func (p *lists) merge(own, other *list) {
	p.ok(p.StreamWaitEvent(p.ctx, own.stream, other.event))
	for _, e := range other.ranges {
		own.insert(e)
	}
	other.ranges = nil
	if !p.stale {
		p.ok(p.EventRecord(p.ctx, own.event, own.stream))
	}
}

// release frees a block on the stream of a list.
func (p *lists) release(own *list, at, bytes uint64) {
	p.ok(p.TakeBack(abi.Ptr(at), bytes, p.ctx, own.stream))
	p.ok(p.EventRecord(p.ctx, own.event, own.stream))
	own.insert(extent{at, bytes})
}
