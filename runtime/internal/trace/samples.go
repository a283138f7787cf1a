package trace

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Rate is how many bytes are allocated for each block that a profile samples, on average: as many as in the profile of Go's heap.
const Rate = 512 << 10

// Profiles reports whether a pool with the key profile has been used.
var Profiles atomic.Bool

// Weight returns how many blocks of so many bytes a sampled one stands for, itself included: the reciprocal of the probability that such a block is sampled.
func Weight(bytes uint64) float64 { return -1 / math.Expm1(-float64(bytes)/Rate) }

// Samples are the sampled allocations of a pool. The zero value has none.
type Samples struct {
	filter atomic.Pointer[filter] // that of places, for those who do not hold mu; nil: there has been none
	sweeps atomic.Uint64          // number of times that all blocks were freed at once
	mu     sync.Mutex
	live   map[uint64]Sample // by place
	places places            // of live
	sites  map[[sampleDepth]uintptr]uint32
	list   []sampledSite // by site; site 0 is not used
}

// sampleDepth is the number of calls that a sample keeps.
const sampleDepth = 64

// Sample is a sampled block.
type Sample struct {
	bytes  uint64
	weight float64 // number of allocations that the sample stands for
	site   uint32
	at     time.Time
}

// sampledSite adds up the samples of one call stack. Each counts as many times as its weight says.
type sampledSite struct {
	stack         []uintptr
	blocks, bytes float64 // so far
	live          sampledLive
}

// sampledLive is the live blocks of a site.
type sampledLive struct {
	samples       int // when there are none, the sums are 0 again: adding and subtracting rounds them
	blocks, bytes float64
}

// None reports whether no block has been sampled so far. It takes no lock.
func (m *Samples) None() bool { return m.filter.Load() == nil }

// Has reports whether the block at a place may be sampled. It takes no lock, and is inlined.
func (m *Samples) Has(place uint64) bool {
	f := m.filter.Load()
	return f != nil && f.has(place)
}

// Sweeps returns the number of calls of Swept and Retain so far, for NoteAlloc and PutBack.
func (m *Samples) Sweeps() uint64 { return m.sweeps.Load() }

// NoteAlloc adds a sample of the given weight, and returns its site. If all blocks were freed at once since Sweeps returned sweeps, the block may be among
// them, and does not count as live.
func (m *Samples) NoteAlloc(place, bytes uint64, weight float64, sweeps uint64) uint32 {
	var pcs [sampleDepth]uintptr
	n := runtime.Callers(3, pcs[:])
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.live == nil {
		m.live, m.sites, m.list = map[uint64]Sample{}, map[[sampleDepth]uintptr]uint32{}, make([]sampledSite, 1)
	}
	id := m.sites[pcs]
	if id == 0 {
		id = uint32(len(m.list))
		m.sites[pcs] = id
		m.list = append(m.list, sampledSite{stack: slices.Clone(pcs[:n])})
	}
	s := &m.list[id]
	s.blocks, s.bytes = s.blocks+weight, s.bytes+weight*float64(bytes)
	if m.sweeps.Load() == sweeps {
		m.remove(place)
		m.add(place, Sample{bytes, weight, id, time.Now()})
	}
	return id
}

// Take removes the block at a place, if it is a sampled one of this size, and returns it for PutBack. Otherwise the result is zero.
func (m *Samples) Take(place, bytes uint64) (b Sample) {
	if !m.Has(place) {
		return b
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.live[place].bytes == bytes {
		b = m.remove(place)
	}
	return b
}

// Withdraw undoes NoteAlloc: the block at a place was not handed out after all.
func (m *Samples) Withdraw(place, bytes uint64) {
	b := m.Take(place, bytes)
	if b == (Sample{}) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s := &m.list[b.site]
	s.blocks, s.bytes = s.blocks-b.weight, s.bytes-b.weight*float64(b.bytes)
}

// PutBack undoes Take: the block was not freed. It does nothing if all blocks were freed at once since Sweeps returned sweeps, which was before Take.
func (m *Samples) PutBack(place uint64, b Sample, sweeps uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if b != (Sample{}) && m.sweeps.Load() == sweeps {
		m.remove(place)
		m.add(place, b)
	}
}

// add adds a live block at a place that has none.
func (m *Samples) add(place uint64, b Sample) {
	m.live[place] = b
	l := &m.list[b.site].live
	l.samples++
	l.blocks, l.bytes = l.blocks+b.weight, l.bytes+b.weight*float64(b.bytes)
	if m.places.fits() {
		m.places.add(place)
		return
	}
	m.places = places{filter: newFilter(2 * len(m.live)), shared: map[uint64]int{}}
	for place := range m.live {
		m.places.add(place)
	}
	m.filter.Store(m.places.filter)
}

// remove removes the block at a place, if there is one, and returns it.
func (m *Samples) remove(place uint64) Sample {
	b, ok := m.live[place]
	if !ok {
		return Sample{}
	}
	delete(m.live, place)
	m.places.remove(place)
	l := &m.list[b.site].live
	l.samples--
	l.blocks, l.bytes = l.blocks-b.weight, l.bytes-b.weight*float64(b.bytes)
	if l.samples == 0 {
		*l = sampledLive{}
	}
	return b
}

// Swept removes all live blocks.
func (m *Samples) Swept() { m.Retain(func(uint64) bool { return false }) }

// Retain removes the live blocks at places for which lives is false: many blocks were freed at once.
func (m *Samples) Retain(lives func(place uint64) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweeps.Add(1)
	for place := range m.live {
		if !lives(place) {
			m.remove(place)
		}
	}
}

// Live is the live blocks of one call stack, estimated from the samples.
type Live struct {
	Blocks, Bytes int64
	Since         time.Time // when the oldest sampled block was allocated
	Stack         []uintptr
	Estimated     bool // not all of these allocations were sampled
}

// Live lists the live blocks by call stack, the most bytes first.
func (m *Samples) Live() (all []Live) {
	m.mu.Lock()
	defer m.mu.Unlock()
	oldest, estimated := map[uint32]time.Time{}, map[uint32]bool{}
	for _, b := range m.live {
		if at, ok := oldest[b.site]; !ok || b.at.Before(at) {
			oldest[b.site] = b.at
		}
		estimated[b.site] = estimated[b.site] || b.weight > 1
	}
	for i, s := range m.list {
		if id := uint32(i); s.live.samples > 0 {
			all = append(all, Live{whole(s.live.blocks), whole(s.live.bytes), oldest[id], s.stack, estimated[id]})
		}
	}
	slices.SortFunc(all, func(a, b Live) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return all
}

// Calls lists all allocations by call stack, for WriteAllocProfile.
func (m *Samples) Calls(pool string) (all []Calls) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.list {
		if s.blocks > 0 {
			all = append(all, Calls{pool, s.stack, []int64{whole(s.blocks), whole(s.bytes), whole(s.live.blocks), whole(s.live.bytes)}})
		}
	}
	return all
}

// whole rounds a sum of samples.
func whole(sum float64) int64 { return int64(math.Round(sum)) }

// Lock keeps the samples as they are until Unlock, for calls of Block. Meanwhile allocations that are sampled wait, and no other method may be called.
func (m *Samples) Lock() { m.mu.Lock() }

// Unlock ends what Lock began.
func (m *Samples) Unlock() { m.mu.Unlock() }

// Block returns when the live block at a place was allocated, and by which calls; ok is false if the block was not sampled. The caller holds the lock.
func (m *Samples) Block(place uint64) (since time.Time, stack []uintptr, ok bool) {
	b, ok := m.live[place]
	if !ok {
		return time.Time{}, nil, false
	}
	return b.at, m.list[b.site].stack, true
}

// Stack returns the call stack of a site.
func (m *Samples) Stack(site uint32) []uintptr {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.list[site].stack
}
