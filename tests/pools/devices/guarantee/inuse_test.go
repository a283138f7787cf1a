//go:build cudasim

package guarantee

import (
	"errors"
	"slices"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// refused checks that a request had to fail.
func (m *model) refused(p *member, n, align int64, err error) {
	m.refusals++
	need := p.row.need(n, align)
	if errors.Is(err, poolrt.ErrTooLarge) { // no poll comes before this
		if need <= p.limit {
			m.fail("%d bytes need %d of %d: %s", n, need, p.limit, poolrt.Explain(err))
		}
		return
	}
	if m.mark(p); errors.Is(err, poolrt.ErrLimit) && p.liveBytes()+need > p.limit { // no need to look where the blocks lie
		return
	}
	used, room := m.inUse(p), p.limit
	if m.budget > 0 && used+need <= room { // the request has asked the other pool
		room = min(room, m.budget-m.inUse(m.other(p)))
	}
	if errors.Is(err, poolrt.ErrOutOfMemory) {
		room = min(room, m.device)
	}
	if !errors.Is(err, poolrt.ErrLimit) && !errors.Is(err, poolrt.ErrOutOfMemory) || used+need <= room {
		m.fail("%d bytes, aligned to %d, need %d, of %d in use %d: %s", n, align, need, room, used, poolrt.Explain(err))
	}
}

// other returns the other pool of the budget.
func (m *model) other(p *member) *member {
	if m.pools[0] == p {
		return m.pools[1]
	}
	return m.pools[0]
}

// inUse returns what a pool has to hold after it has polled.
func (m *model) inUse(p *member) int64 {
	m.mark(p)
	var busy []extent
	for _, b := range p.live {
		busy = append(busy, b.extent)
	}
	for _, f := range p.flight {
		busy = append(busy, f.extent)
	}
	return p.row.inUse(p, busy)
}

// liveBytes adds up the live blocks. What is in use is as much at least.
func (p *member) liveBytes() (n int64) {
	for _, b := range p.live {
		n += b.bytes
	}
	return n
}

// anyInFlight reports whether a stream may be at work in memory that was freed.
func (m *model) anyInFlight() bool {
	return slices.ContainsFunc(m.pools, func(p *member) bool { return len(p.flight) > 0 })
}

// unmarked reports whether anything was freed on a stream that no mark follows.
func (m *model) unmarked(stream int) bool {
	return slices.ContainsFunc(m.pools, func(p *member) bool {
		return slices.ContainsFunc(p.flight, func(f freed) bool { return f.stream == stream && f.mark == nil })
	})
}

// look notes what the streams have passed before a call of a pool: the driver may wait for all of them when memory goes back to it.
func (m *model) look() {
	if !m.anyInFlight() {
		return
	}
	for i, s := range m.streams {
		if m.unmarked(i) {
			rig.Check(m, "record", m.probe.Record(s))
			m.idle[i] = rig.Must(m.probe.Query())
		}
	}
	m.marks = slices.DeleteFunc(m.marks, func(k *mark) bool {
		if k.passed = rig.Must(k.Query()); k.passed {
			rig.Check(m, "close", k.Close())
		}
		return k.passed
	})
	for _, p := range m.pools {
		p.flight = slices.DeleteFunc(p.flight, func(f freed) bool { return f.mark != nil && f.mark.passed })
	}
}

// mark follows a poll of a pool: what was freed on an idle stream is free, and the rest is when its stream has passed a mark.
func (m *model) mark(p *member) {
	p.flight = slices.DeleteFunc(p.flight, func(f freed) bool { return f.mark == nil && m.idle[f.stream] })
	marks := make([]*mark, len(m.streams))
	for i := range p.flight {
		f := &p.flight[i]
		if f.mark == nil && marks[f.stream] == nil {
			marks[f.stream] = &mark{Event: rig.Must(cuda.Device(0).NewEvent())}
			rig.Check(m, "record", marks[f.stream].Record(m.streams[f.stream]))
			m.marks = append(m.marks, marks[f.stream])
		}
		if f.mark == nil {
			f.mark = marks[f.stream]
		}
	}
}

// chunks lists the chunks of a pool.
func (p *member) chunks() (list []extent) {
	for _, c := range p.Snapshot().Pools[0].Chunks {
		at := int64(c.Addr)
		if p.unit > 1 { // tiles
			at = placeOf(c.Origin)
		}
		list = append(list, extent{at, int64(c.Size)})
	}
	return list
}

// withinLimits checks that no pool holds more than its limit.
func (m *model) withinLimits() {
	sum := int64(0)
	for _, p := range m.pools {
		s := p.Stats()
		sum, p.lost = sum+s.Reserved, s.RoundingBytes
		if s.Limit != p.limit || s.Reserved > p.limit {
			m.fail("%d reserved, limit %d, want %d", s.Reserved, s.Limit, p.limit)
		}
	}
	if m.budget > 0 && sum > m.budget {
		m.fail("%d reserved of a budget of %d", sum, m.budget)
	}
}
