//go:build pooltrace

package runtime

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
	// defaultSampling: of so many allocations one is sampled.
	defaultSampling = 128
	// sampledAlways is the size of blocks that are all sampled: they are few, and are what a program's memory goes to.
	sampledAlways = 1 << 20
)

// sampling is how many allocations there are to a sampled one, a power of two; 0: none is sampled.
var sampling atomic.Int64

func init() { sampling.Store(defaultSampling) }

// setSampling is [SetSampling].
func setSampling(oneIn int) error {
	return setPower(&sampling, oneIn, 1<<30, "set sampling", "one in 0 to 1073741824")
}

// sampled reports whether the allocation that is event number of its pool is sampled. The numbers are mixed, so that no rhythm of the program decides.
func sampled(number, bytes uint64) bool {
	n := uint64(sampling.Load())
	return n > 0 && (bytes >= sampledAlways || number*0x9E3779B97F4A7C15>>32&(n-1) == 0)
}

// samples are the allocations of a pool that were sampled.
type samples struct {
	filter [1 << 10]atomic.Int32 // sampled live blocks by a hash of the place: most frees learn here that theirs is none
	mu     sync.Mutex
	live   map[uint64]sampledBlock
	sites  map[[sampleDepth]uintptr]uint32
	list   []sampledSite // number 0 is none
}

// sampleDepth is how many calls are kept.
const sampleDepth = 24

// sampledBlock is a live block.
type sampledBlock struct {
	bytes  uint64
	weight int64 // allocations that it stands for
	site   uint32
	at     time.Time
}

// sampledSite is what was handed out to the same calls, with what was not sampled reckoned in.
type sampledSite struct {
	stack                 []uintptr
	blocks, bytes         int64 // so far
	liveBlocks, liveBytes int64
}

func (m *samples) slot(place uint64) *atomic.Int32 {
	return &m.filter[place*0x9E3779B97F4A7C15>>54]
}

// noteAlloc notes a block, and returns the number of its calls.
func (m *samples) noteAlloc(place, bytes uint64) uint32 {
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

// has reports whether the block of a place may be one that was sampled.
func (m *samples) has(place uint64) bool { return m.slot(place).Load() != 0 }

// noteFree notes a free of a block, which may not have been sampled.
func (m *samples) noteFree(place, bytes uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.live[place].bytes == bytes {
		m.remove(place)
	}
}

// remove takes a block out, if it is there.
func (m *samples) remove(place uint64) {
	b, ok := m.live[place]
	if !ok {
		return
	}
	delete(m.live, place)
	m.slot(place).Add(-1)
	s := &m.list[b.site]
	s.liveBlocks, s.liveBytes = s.liveBlocks-b.weight, s.liveBytes-b.weight*int64(b.bytes)
}

// swept takes out all.
func (m *samples) swept() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for place := range m.live {
		m.remove(place)
	}
}

// leaks lists what is live by the calls that it was handed out to, as far as sampling tells, the most bytes first.
func (t *tracing) leaks(pool, unit string) (all []Leak) {
	m := &t.samples
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
			all = append(all, Leak{Pool: pool, Count: s.liveBlocks, Bytes: s.liveBytes, Since: oldest[id], Stack: s.stack, unit: unit, sampled: estimated[id]})
		}
	}
	slices.SortFunc(all, func(a, b Leak) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return all
}

// writeAllocProfile is [WriteAllocProfile].
func writeAllocProfile(w io.Writer) error {
	var all []profiled
	for _, e := range allPools() {
		all = append(all, e.observed.tracing.samples.profile(e.name.get())...)
	}
	return writeProfile(w, [][2]string{{"alloc_blocks", "count"}, {"alloc_bytes", "bytes"}, {"live_blocks", "count"}, {"live_bytes", "bytes"}}, "live_bytes", all)
}

func (m *samples) profile(pool string) (all []profiled) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.list {
		if s.blocks > 0 {
			all = append(all, profiled{pool, s.stack, []int64{s.blocks, s.bytes, s.liveBlocks, s.liveBytes}})
		}
	}
	return all
}
