//go:build pooltrace

package trace

import (
	"cmp"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// defaultSampling is sampling until SetSampling is called.
	defaultSampling = 128
	// sampledAlways is the size from which on all blocks are sampled: such blocks are few, and hold most of the memory.
	sampledAlways = 1 << 20
)

// sampling is a power of two: one allocation in so many is sampled, or none if it is 0.
var sampling atomic.Int64

func init() { sampling.Store(defaultSampling) }

// SetSampling sets sampling to a number from 0 to MostSampling, rounded up to a power of two.
func SetSampling(oneIn int) error {
	sampling.Store(upToPower(oneIn))
	return nil
}

// Sampled reports whether an allocation with the given number of its event is sampled. The number is hashed, as a program may allocate in a regular pattern.
func Sampled(number, bytes uint64) bool {
	n := uint64(sampling.Load())
	return n > 0 && (bytes >= sampledAlways || number*0x9E3779B97F4A7C15>>32&(n-1) == 0)
}

// Samples are the sampled allocations of a pool.
type Samples struct {
	filter [1 << 10]atomic.Int32 // number of sampled live blocks by a hash of the place: for most frees it is 0, and they need no lock
	mu     sync.Mutex
	live   map[uint64]sampledBlock
	sites  map[[sampleDepth]uintptr]uint32
	list   []sampledSite // by site; site 0 is not used
}

// sampleDepth is the number of calls that a sample keeps.
const sampleDepth = 24

// sampledBlock is a sampled block that is live.
type sampledBlock struct {
	bytes  uint64
	weight int64 // number of allocations that the sample stands for
	site   uint32
	at     time.Time
}

// sampledSite adds up the samples of one call stack. Each counts as many times as its weight says.
type sampledSite struct {
	stack                 []uintptr
	blocks, bytes         int64 // so far
	liveBlocks, liveBytes int64
}

// slot returns the counter of filter for a place.
func (m *Samples) slot(place uint64) *atomic.Int32 {
	return &m.filter[place*0x9E3779B97F4A7C15>>54]
}

// NoteAlloc adds a sample, and returns its site.
func (m *Samples) NoteAlloc(place, bytes uint64) uint32 {
	var pcs [sampleDepth]uintptr
	n := runtime.Callers(4, pcs[:])
	weight := int64(1)
	if bytes < sampledAlways {
		weight = sampling.Load()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.live == nil {
		m.live, m.sites, m.list = map[uint64]sampledBlock{}, map[[sampleDepth]uintptr]uint32{}, make([]sampledSite, 1)
	}
	id := m.sites[pcs]
	if id == 0 {
		id = uint32(len(m.list))
		m.sites[pcs] = id
		m.list = append(m.list, sampledSite{stack: slices.Clone(pcs[:n])})
	}
	m.remove(place)
	m.live[place] = sampledBlock{bytes, weight, id, time.Now()}
	m.slot(place).Add(1)
	s := &m.list[id]
	s.blocks, s.bytes = s.blocks+weight, s.bytes+weight*int64(bytes)
	s.liveBlocks, s.liveBytes = s.liveBlocks+weight, s.liveBytes+weight*int64(bytes)
	return id
}

// Has reports whether the block at a place may be sampled. It takes no lock.
func (m *Samples) Has(place uint64) bool { return m.slot(place).Load() != 0 }

// NoteFree removes the block at a place, if it is a sampled one of this size.
func (m *Samples) NoteFree(place, bytes uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.live[place].bytes == bytes {
		m.remove(place)
	}
}

// remove removes the block at a place, if there is one.
func (m *Samples) remove(place uint64) {
	b, ok := m.live[place]
	if !ok {
		return
	}
	delete(m.live, place)
	m.slot(place).Add(-1)
	s := &m.list[b.site]
	s.liveBlocks, s.liveBytes = s.liveBlocks-b.weight, s.liveBytes-b.weight*int64(b.bytes)
}

// Swept removes all live blocks.
func (m *Samples) Swept() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for place := range m.live {
		m.remove(place)
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
		if id := uint32(i); s.liveBlocks > 0 {
			all = append(all, Live{s.liveBlocks, s.liveBytes, oldest[id], s.stack, estimated[id]})
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
			all = append(all, Calls{pool, s.stack, []int64{s.blocks, s.bytes, s.liveBlocks, s.liveBytes}})
		}
	}
	return all
}

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

// WriteAllocProfile writes a profile of what pools have allocated so far and of what is live.
func WriteAllocProfile(w io.Writer, all []Calls) error {
	return WriteProfile(w, [][2]string{{"alloc_blocks", "count"}, {"alloc_bytes", "bytes"}, {"live_blocks", "count"}, {"live_bytes", "bytes"}}, "live_bytes", all)
}
