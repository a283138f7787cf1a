//go:build cudasim

package guarantee

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

var all = flag.Bool("guarantee.all", false, "run 1,000,000 steps a pool")

// steps is the length of a run.
func steps() int {
	switch {
	case *all:
		return 1e6
	case testing.Short():
		return 1e4
	}
	return 5e4
}

// A request fails only if memory is not there: the table of docs/behaviour.md, "The guarantee". No call lets a pool exceed its limit.
func TestGuarantee(t *testing.T) {
	for _, g := range groups {
		t.Run(g.kinds[0].name, func(t *testing.T) {
			m := newModel(t, g.budget, g.device, g.kinds)
			defer m.close()
			for m.step = range steps() {
				m.next()
				m.withinLimits()
			}
			t.Logf("%d requests, %d refused, as they may be", m.requests, m.refusals)
		})
	}
}

// latency is how many steps the work of a stream takes.
const latency = 12

// model follows what is in use in the pools of a group.
type model struct {
	*testing.T
	*rand.Rand
	seed    uint64
	step    int
	share   int   // of requests, of 1000 steps
	budget  int64 // 0: none
	device  int64 // memory of the device
	pools   []*member
	streams []cuda.Stream
	marks   []*mark // that the streams have not passed
	probe   cuda.Event
	idle    []bool // the streams that had no work before the call

	requests, refusals int
}

// pool has the methods that all pools have.
type pool interface {
	Stats() poolrt.Stats
	Poll() int
	Trim(keep int64) (int64, error)
	SetLimit(bytes int64) error
	Snapshot() *poolrt.Snapshot
	CloseForce() error
}

// member is a pool of the group.
type member struct {
	kind
	pool
	method map[string]reflect.Value // methods that differ from pool to pool, by name
	limit  int64
	lost   int64 // bytes of live blocks beyond what was requested
	live   []block
	flight []freed
}

// block is a live block.
type block struct {
	extent
	own any
}

// extent is a range of addresses.
type extent struct{ addr, bytes int64 }

// freed is a block that was freed on a stream.
type freed struct {
	extent
	stream int
	mark   *mark // on the stream behind the free; nil: the pool may not have asked about the stream since
}

// mark is an event on a stream.
type mark struct {
	cuda.Event
	passed bool
}

func newModel(t *testing.T, budget, device int64, kinds []kind) *model {
	rig.Machine(t, sim.Config{Devices: 1, Capacity: uint64(cmp.Or(device, 256*mib))})
	sim.Latency(latency)
	m := &model{T: t, seed: uint64(crc32.ChecksumIEEE([]byte(kinds[0].name))), budget: budget, device: device}
	memory.limit = kinds[0].limit
	m.Rand = rand.New(rand.NewPCG(m.seed, 0))
	for _, k := range kinds {
		m.pools = append(m.pools, newMember(k))
	}
	for range 3 {
		m.streams = append(m.streams, rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking)))
	}
	m.probe, m.idle = rig.Must(cuda.Device(0).NewEvent()), make([]bool, len(m.streams))
	return m
}

func newMember(k kind) *member {
	p := &member{kind: k, pool: k.new(), limit: k.limit, method: map[string]reflect.Value{}}
	for _, name := range []string{"Alloc", "AllocAligned", "AllocOn", "Free", "FreeOn"} {
		if call := reflect.ValueOf(p.pool).MethodByName(name); call.IsValid() {
			p.method[name] = call
		}
	}
	return p
}

// has reports whether the pool has a method.
func (p *member) has(name string) bool { return p.method[name].IsValid() }

// take allocates a block. A pool of items has no parameter n.
func (p *member) take(name string, n int, more ...any) (b any, err error) {
	call := p.method[name]
	var in []reflect.Value
	if call.Type().NumIn() > len(more) {
		in = append(in, reflect.ValueOf(n))
	}
	for _, a := range more {
		in = append(in, reflect.ValueOf(a))
	}
	out := call.Call(in)
	err, _ = out[1].Interface().(error)
	return out[0].Interface(), err
}

// give frees a block.
func (p *member) give(name string, args ...any) error {
	var in []reflect.Value
	for _, a := range args {
		in = append(in, reflect.ValueOf(a))
	}
	err, _ := p.method[name].Call(in)[0].Interface().(error)
	return err
}

// phase is a number of steps in which a pool mostly grows or mostly shrinks.
const phase = 300

// next does something with one of the pools.
func (m *model) next() {
	sim.Tick()
	m.look()
	if m.step%phase == 0 {
		m.share = 300 + m.IntN(550)
	}
	p := m.pools[m.IntN(len(m.pools))]
	switch k := m.IntN(1000); {
	case k < m.share:
		m.alloc(p)
	case k < 990:
		m.free(p)
	case k < 993:
		m.setLimit(p)
	case k < 995:
		rig.Check(m, "trim", rig.Second(p.Trim(m.Int64N(p.limit+1))))
	case k < 999:
		p.Poll()
		m.mark(p)
	default:
		m.freeMost(p)
	}
}

// alloc makes a request, on a stream if the pool has such requests.
func (m *model) alloc(p *member) {
	m.requests++
	n, align := m.bytes(p), 1
	check := m.calls(p)
	var b any
	var err error
	switch {
	case p.has("AllocOn") && m.IntN(2) == 0:
		b, err = p.take("AllocOn", n, m.streams[m.IntN(len(m.streams))])
	case p.has("AllocAligned") && m.IntN(4) == 0:
		align = 1 << m.IntN(p.row.aligned)
		b, err = p.take("AllocAligned", n, align)
	default:
		b, err = p.take("Alloc", n)
	}
	check()
	if err != nil {
		m.refused(p, int64(n), int64(align), err)
		return
	}
	x, before := extentOf(b), p.lost
	p.lost = p.Stats().RoundingBytes
	x.bytes += p.lost - before // a part of a page that is lost to a block is in use
	p.live = append(p.live, block{x, b})
}

// calls checks, after a request of a pool with pages, how often it called the driver: at most twice for each page that came or went, and 8 times besides. A request
// that finds frees pending also asks about those.
func (m *model) calls(p *member) func() {
	if !p.row.pages || m.anyInFlight() {
		return func() {}
	}
	count := func() [3]int { return [3]int{sim.Calls("cuMemCreate"), sim.Calls("cuMemRelease"), sim.Calls("")} }
	before := count()
	return func() {
		after := count()
		pages, calls := after[0]+after[1]-before[0]-before[1], after[2]-before[2]
		if calls > 2*pages+8 {
			m.fail("%d calls of the driver for %d pages that came or went", calls, pages)
		}
	}
}

// bytes draws the size of a request: most are small.
func (m *model) bytes(p *member) int {
	switch m.IntN(4) {
	case 0:
		return 1 + m.IntN(p.largest)
	case 1:
		return 1 + m.IntN(p.largest/4)
	}
	return 1 + m.IntN(p.largest/64)
}

// extentOf returns where a block lies.
func extentOf(b any) extent {
	switch b := b.(type) {
	case []byte:
		return extent{int64(cuda.AddressOf(b)), int64(len(b))}
	case interface {
		Addr() cuda.DevicePtr
		Bytes() int64
	}:
		return extent{int64(b.Addr()), b.Bytes()}
	case interface{ Addr() cuda.DevicePtr }:
		return extent{int64(b.Addr()), 256}
	}
	panic(fmt.Sprintf("a %T has no address", b))
}

// free frees a block, at once or on a stream that may be at work.
func (m *model) free(p *member) {
	if len(p.live) == 0 {
		return
	}
	i := m.IntN(len(p.live))
	b := p.live[i]
	p.live = slices.Delete(p.live, i, i+1)
	if !p.has("FreeOn") || m.IntN(3) == 0 {
		rig.Check(m, "free", p.give("Free", b.own))
		return
	}
	on := m.IntN(len(m.streams))
	if m.IntN(2) == 0 {
		rig.Check(m, "work", sim.Work(m.streams[on]))
	}
	rig.Check(m, "free on a stream", p.give("FreeOn", b.own, m.streams[on]))
	p.flight = append(p.flight, freed{extent: b.extent, stream: on})
}

// freeMost frees nearly all blocks.
func (m *model) freeMost(p *member) {
	for len(p.live) > 3 {
		m.free(p)
	}
}

// setLimit changes the limit. What is in use is the only reason to refuse.
func (m *model) setLimit(p *member) {
	to := m.Int64N(p.most + 1)
	if m.IntN(2) == 0 {
		to = p.limit/2 + m.Int64N(p.most-p.limit/2+1)
	}
	memory.limit = max(to, p.limit)
	err := p.SetLimit(to)
	memory.limit = p.limit
	switch {
	case err == nil:
		p.limit, memory.limit = to, to
	case !errors.Is(err, poolrt.ErrLive):
		m.fail("set limit: %v", err)
	default:
		if used := m.inUse(p); used <= to {
			m.fail("the limit %d is refused, but only %d are in use: %v", to, used, err)
		}
	}
}

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

// anyInFlight reports whether a stream may be at work in memory that was freed.
func (m *model) anyInFlight() bool {
	return slices.ContainsFunc(m.pools, func(p *member) bool { return len(p.flight) > 0 })
}

// look notes what the streams have passed before a call of a pool: the driver may wait for all of them when memory goes back to it.
func (m *model) look() {
	if !m.anyInFlight() {
		return
	}
	for i, s := range m.streams {
		rig.Check(m, "record", m.probe.Record(s))
		m.idle[i] = rig.Must(m.probe.Query())
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
		list = append(list, extent{int64(c.Addr), int64(c.Size)})
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

// fail ends the test. The seed and the step lead to the failure again.
func (m *model) fail(format string, args ...any) {
	m.Helper()
	m.Fatalf("seed %d, step %d: %s", m.seed, m.step, fmt.Sprintf(format, args...))
}

// close closes the pools.
func (m *model) close() {
	for _, p := range m.pools {
		rig.Check(m, "close", p.CloseForce())
	}
	rig.Check(m, "close", m.probe.Close())
	for _, k := range m.marks {
		rig.Check(m, "close", k.Close())
	}
	for _, s := range m.streams {
		rig.Check(m, "close", s.Close())
	}
}
