//go:build cudasim

package graphs

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// clock counts what comes before a point of a captured stream, for each stream: what comes after what, as the model knows it.
type clock []int

// covers reports whether all that comes before another point comes before this one.
func (c clock) covers(other clock) bool {
	for i := range other {
		if other[i] > c[i] {
			return false
		}
	}
	return true
}

// joined returns the clock of a point behind both.
func (c clock) joined(other clock) clock {
	c = slices.Clone(c)
	for i := range c {
		c[i] = max(c[i], other[i])
	}
	return c
}

// hole is memory that is free, as the model knows it, for what comes behind a point.
type hole struct {
	at, bytes, chunk int64
	behind           clock
}

// span is a block of a pool of bytes.
type span interface {
	Addr() cuda.DevicePtr
	Bytes() int64
}

// piece is a live block.
type piece struct {
	span
	on    int // its stream
	chunk int64
	since clock
	used  bool
}

// model is a random program that captures work on some streams, with what a walk over all of the graph would find out.
type model struct {
	*testing.T
	rand    *rand.Rand
	pool    memory
	streams []cuda.Stream // those that take part
	late    []cuda.Stream // those that will, behind the start of the capture alone
	start   cuda.Event
	now     []clock
	holes   []hole
	live    []piece
	private int64 // bytes of the graph
	area    int64 // where its memory begins, if it is in one piece; else that of the last chunk
	bytes   int64 // live
	peak    int64 // of bytes
	fluid   fluid
}

// fluid is what the graph would need if a block could lie in any number of places: then it grows only if less memory is free for a stream than a block is long.
type fluid struct {
	free  []hole // without places
	bytes int64
}

// take takes bytes that are free at a point: first those that fewest points come behind.
func (f *fluid) take(at clock, bytes int64) {
	for i := len(f.free) - 1; i >= 0 && bytes > 0; i-- {
		h := &f.free[i]
		if !at.covers(h.behind) {
			continue
		}
		n := min(h.bytes, bytes)
		h.bytes, bytes = h.bytes-n, bytes-n
	}
	f.free = slices.DeleteFunc(f.free, func(h hole) bool { return h.bytes == 0 })
	f.bytes += bytes
}

const granule = 256 // of the blocks

// memory is a pool of bytes whose graphs the model knows.
type memory struct {
	rig.Subject
	spacing uint64 // of blocks: in debug builds they lie apart
	joins   bool   // the memory of a graph is in one piece, of which there is more when it is too short
}

// temp returns a TempPool, whose chunks lie anywhere.
func temp(o ...poolrt.Option) memory {
	return memory{rig.SubjectOf(rig.Must(NewTempPool(o...))), tempSpacing, false}
}

// pages returns a PagePool. Debug builds know nothing of chunks that touch.
func pages() memory {
	return memory{rig.SubjectOf(new(PagePool)), pageSpacing, !poolimpl.Debug}
}

const page = 2 << 20 // of PagePool

// place returns where a block lies among the bytes that the pool counts.
func (m *memory) place(b span) int64 { return int64(uint64(b.Addr()) / m.spacing) }

// newModel begins a capture on some streams, while others wait to take part, behind nothing that those do: see fork.
func newModel(t *testing.T, p memory, seed uint64, streams, waiting int) *model {
	m := &model{T: t, rand: rand.New(rand.NewPCG(seed, 7)), pool: p, start: rig.Must(cuda.Device(0).NewEvent())}
	for range streams + waiting {
		m.late = append(m.late, rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking)))
	}
	rig.Check(t, "begin", m.late[0].BeginCaptureWith([]poolrt.Capturer{m.pool.Interface().(poolrt.Capturer)}))
	rig.Check(t, "record", m.start.Record(m.late[0]))
	for range streams {
		m.fork()
	}
	return m
}

// fork lets one more stream take part.
func (m *model) fork() {
	if len(m.late) == 0 {
		return
	}
	if s := m.late[0]; len(m.streams) > 0 {
		rig.Check(m.T, "wait", s.Wait(m.start))
	}
	m.streams, m.late = append(m.streams, m.late[0]), m.late[1:]
	m.now = append(m.now, make(clock, len(m.streams)+len(m.late)))
}

// join makes a stream wait for another.
func (m *model) join(s, other int) {
	after(m.T, m.streams[s], m.streams[other])
	m.now[s] = m.now[s].joined(m.now[other])
}

// alloc allocates a block. The graph may grow only if no row of holes would do.
func (m *model) alloc(s int, bytes int64) {
	m.Helper()
	fits := m.fits(s, bytes)
	b := rig.Must(m.pool.Take("AllocOn", int(bytes), m.streams[s])).(span)
	if private := m.pool.Stats().Private; private > m.private {
		if fits {
			m.Fatalf("the graph grows by %d bytes for %d, and has room", private-m.private, bytes)
		}
		if spare := private - m.tail(s) - bytes; m.pool.joins && spare >= page {
			m.Fatalf("the graph has %d bytes behind the block of %d, which it would not need", spare, bytes)
		}
		m.grown(m.pool.place(b), private-m.private)
	}
	m.live = append(m.live, m.take(b, s))
	m.fluid.take(m.now[s], bytes)
	m.bytes += bytes
	m.peak = max(m.peak, m.bytes)
}

// grown adds memory to the graph, which has begun to be used at a place.
func (m *model) grown(at, bytes int64) {
	if m.private == 0 || !m.pool.joins {
		m.area = at
	} else {
		at = m.area + m.private
	}
	m.holes = append(m.holes, hole{at, bytes, m.area, make(clock, len(m.now[0]))})
	m.private += bytes
}

// tail returns how far from the start of the graph's memory that begins which is free for a stream at its end.
func (m *model) tail(s int) int64 {
	slices.SortFunc(m.holes, func(a, b hole) int { return cmp.Compare(a.at, b.at) })
	from := m.area + m.private
	for _, h := range slices.Backward(m.holes) {
		if h.at+h.bytes == from && m.now[s].covers(h.behind) {
			from = h.at
		}
	}
	return from - m.area
}

// fits reports whether a row of holes has room for a block on a stream.
func (m *model) fits(s int, bytes int64) bool {
	slices.SortFunc(m.holes, func(a, b hole) int { return cmp.Compare(a.at, b.at) })
	var end, chunk, row int64
	for _, h := range m.holes {
		if !m.now[s].covers(h.behind) {
			continue
		}
		if h.at != end || h.chunk != chunk {
			row = 0
		}
		row, end, chunk = row+h.bytes, h.at+h.bytes, h.chunk
		if row >= bytes {
			return true
		}
	}
	return false
}

// take takes the place of a block out of the holes.
func (m *model) take(b span, s int) piece {
	p := piece{span: b, on: s, since: make(clock, len(m.now[0]))}
	from, to := m.pool.place(b), m.pool.place(b)+(b.Bytes()+granule-1)/granule*granule
	var rest []hole
	found := int64(0)
	for _, h := range m.holes {
		first, last := max(from, h.at), min(to, h.at+h.bytes)
		if first >= last {
			rest = append(rest, h)
			continue
		}
		found += last - first
		p.chunk, p.since = h.chunk, p.since.joined(h.behind)
		if h.at < first {
			rest = append(rest, hole{h.at, first - h.at, h.chunk, h.behind})
		}
		if end := h.at + h.bytes; last < end {
			rest = append(rest, hole{last, end - last, h.chunk, h.behind})
		}
	}
	if found != to-from || !m.now[s].covers(p.since) {
		m.Fatalf("block %#x +%d lies where others are, or may be at work", from, to-from)
	}
	m.holes = rest
	return p
}

// free frees a live block, on its stream or on one that comes behind it.
func (m *model) free(i int) {
	p := m.live[i]
	s := p.on
	if m.rand.IntN(4) == 0 {
		s = m.rand.IntN(len(m.streams))
		if s != p.on && (p.used || m.rand.IntN(2) == 0) { // no work is pending on a block that was never used
			m.join(s, p.on)
		}
	}
	rig.Check(m.T, "free", m.pool.Do("FreeOn", p.span, m.streams[s]))
	m.live = slices.Delete(m.live, i, i+1)
	m.bytes -= p.Bytes()
	m.fluid.free = append(m.fluid.free, hole{bytes: p.Bytes(), behind: m.now[s]})
	m.holes = append(m.holes, hole{m.pool.place(p.span), (p.Bytes() + granule - 1) / granule * granule, p.chunk, m.now[s].joined(p.since)})
}

// work uses a live block on its stream.
func (m *model) work(i int) {
	p := &m.live[i]
	p.used = true
	rig.Check(m.T, "work", cuda.MemsetAsync(p.Addr(), byte(i), min(p.Bytes(), 64), m.streams[p.on]))
	m.now[p.on] = slices.Clone(m.now[p.on])
	m.now[p.on][p.on]++
}

// end ends the capture, launches the graph, and closes everything. It returns the bytes of the graph.
func (m *model) end(launches int) {
	m.fork()
	for i := 1; i < len(m.streams); i++ {
		m.join(0, i)
	}
	graph := rig.Must(m.streams[0].EndCapture())
	if p := graph.Private(); len(p.Outputs) != len(m.live) || p.Bytes != m.private {
		m.Errorf("%d outputs of %d, %d bytes of %d", len(p.Outputs), len(m.live), p.Bytes, m.private)
	}
	for i := range launches {
		sim.Schedule(m.rand.Uint64())
		rig.Check(m.T, "launch", graph.Launch(m.streams[i%len(m.streams)]))
	}
	rig.Check(m.T, "close", graph.Close())
	sim.RunAll()
	rig.Check(m.T, "close", errors.Join(m.pool.Do("Close"), m.start.Close()))
	for _, s := range m.streams {
		rig.Check(m.T, "close", s.Close())
	}
}
