package runtime

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
)

// fakeCore is the plainest suballocator there is: first fit over sorted blocks, everything in maps.
type fakeCore struct {
	chunks  map[uint32]*fakeChunk
	emptied bool // report chunks that became empty
	cached  int  // times that Flush finds something
	live    uint64
	bytes   uint64
	freed   map[uint64]bool // addresses freed since they were last handed out
}

type fakeChunk struct {
	base, size uint64
	blocks     []fakeBlock // by offset
}

type fakeBlock struct{ off, size uint64 }

func (c *fakeCore) Add(slot uint32, base, size uint64) {
	if c.chunks == nil {
		c.chunks, c.freed = map[uint32]*fakeChunk{}, map[uint64]bool{}
	}
	if c.chunks[slot] != nil {
		panic("slot is taken")
	}
	c.chunks[slot] = &fakeChunk{base: base, size: size}
}

func (c *fakeCore) Remove(slot uint32) {
	if len(c.chunks[slot].blocks) > 0 {
		panic("chunk is in use")
	}
	delete(c.chunks, slot)
}

func (c *fakeCore) Used(slot uint32) uint64 {
	n := uint64(0)
	if ch := c.chunks[slot]; ch != nil {
		for _, b := range ch.blocks {
			n += b.size
		}
	}
	return n
}

func (c *fakeCore) Need(bytes, _ uint64) uint64 { return bytes }

func (c *fakeCore) Alloc(bytes, align uint64) (uint32, uint64, bool) {
	slots := make([]uint32, 0, len(c.chunks))
	for slot := range c.chunks {
		slots = append(slots, slot)
	}
	slices.Sort(slots)
	for _, slot := range slots {
		ch := c.chunks[slot]
		at := uint64(0)
		for i := 0; i <= len(ch.blocks); i++ {
			end := ch.size
			if i < len(ch.blocks) {
				end = ch.blocks[i].off
			}
			off := at + -(ch.base+at)&(align-1)
			if off <= end && bytes <= end-off {
				ch.blocks = slices.Insert(ch.blocks, i, fakeBlock{off, bytes})
				c.live++
				c.bytes += bytes
				delete(c.freed, ch.base+off)
				return slot, off, true
			}
			if i < len(ch.blocks) {
				at = end + ch.blocks[i].size
			}
		}
	}
	return 0, 0, false
}

func (c *fakeCore) Free(addr, bytes uint64) (uint32, Verdict) {
	for slot, ch := range c.chunks {
		for i, b := range ch.blocks {
			if ch.base+b.off != addr || b.size != bytes {
				continue
			}
			ch.blocks = slices.Delete(ch.blocks, i, i+1)
			c.live--
			c.bytes -= bytes
			c.freed[addr] = true
			if c.emptied && len(ch.blocks) == 0 {
				return slot, Emptied
			}
			return slot, Freed
		}
	}
	if c.freed[addr] {
		return 0, Double
	}
	return 0, Foreign
}

func (c *fakeCore) Flush() bool {
	if c.cached == 0 {
		return false
	}
	c.cached--
	return true
}

func (c *fakeCore) Usage() Usage {
	u := Usage{Live: c.live, LiveBytes: c.bytes, Occupied: c.bytes}
	for _, ch := range c.chunks {
		if len(ch.blocks) == 0 {
			u.LargestFree = max(u.LargestFree, ch.size)
		}
	}
	return u
}

// fakeSource hands out addresses without memory behind them, and counts what it gave.
type fakeSource struct {
	mu      sync.Mutex
	next    uint64
	given   map[uint64]int64
	bytes   int64
	most    int64
	sizes   []int64 // of all chunks given, in order
	allocs  int     // calls
	frees   int
	onAlloc func(call int) error // called without the lock; may block or panic
	onFree  func(call int) error
	t       testing.TB
}

var errNoMemory = errors.New("no memory left")

func (s *fakeSource) Alloc(size, align int64) (Chunk, error) {
	s.mu.Lock()
	s.allocs++
	call, hook := s.allocs, s.onAlloc
	s.mu.Unlock()
	if hook != nil {
		if err := hook(call); err != nil {
			return Chunk{}, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.given == nil {
		s.given, s.next = map[uint64]int64{}, 1<<20
	}
	unit := uint64(max(align, 1))
	addr := (s.next + unit - 1) &^ (unit - 1)
	s.next = addr + uint64(size)
	s.given[addr] = size
	s.bytes += size
	s.most = max(s.most, s.bytes)
	s.sizes = append(s.sizes, size)
	return Chunk{Addr: addr, Size: size}, nil
}

func (s *fakeSource) Free(c Chunk) error {
	s.mu.Lock()
	s.frees++
	call, hook := s.frees, s.onFree
	s.mu.Unlock()
	if hook != nil {
		defer func() { // a chunk that it panics about is gone
			if v := recover(); v != nil {
				s.take(c)
				panic(v)
			}
		}()
		if err := hook(call); err != nil {
			return err
		}
	}
	s.take(c)
	return nil
}

func (s *fakeSource) take(c Chunk) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.given[c.Addr] != c.Size || c.Size == 0 {
		s.t.Errorf("source got back %d bytes at %#x, gave %d", c.Size, c.Addr, s.given[c.Addr])
	}
	delete(s.given, c.Addr)
	s.bytes -= c.Size
}

// calls counts the calls of Alloc.
func (s *fakeSource) calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.allocs
}

// held is what the source has given and not got back.
func (s *fakeSource) held() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}

// rig is a pool as a shell makes one.
type rig struct {
	Engine
	core   fakeCore
	config Config
	source *fakeSource
	t      testing.TB
}

// newRig makes a pool of 100-byte chunks, limited as change says, that must be sound when the test ends.
func newRig(t testing.TB, change func(*Config)) *rig {
	p := &rig{source: &fakeSource{t: t}, t: t}
	p.config = Config{
		Name: "test.Pool", Allocator: "host", Source: p.source, Locked: true, ChunkSize: 100, Granularity: 1, Alignment: 1,
		Limit: NoLimit, WaitTimeout: 1e9, Ladder: []Rung{{Kind: RungError}},
	}
	if change != nil {
		change(&p.config)
	}
	p.core.emptied = p.config.Trim != nil
	t.Cleanup(p.sound)
	return p
}

func (p *rig) ready() *Engine { return p.Init(&p.config, &p.core) }

// block is a live block of a rig.
type block struct{ addr, bytes uint64 }

func (p *rig) alloc(bytes uint64) (block, error) {
	if b, ok := p.try(bytes); ok {
		return b, nil
	}
	b, err := p.ready().Alloc(bytes, 1)
	return block{b.Addr, bytes}, err
}

// try is the fast path.
func (p *rig) try(bytes uint64) (block, bool) {
	if p.config.Locked {
		p.Lock()
		defer p.Unlock()
	}
	slot, off, ok := p.core.Alloc(bytes, 1)
	if !ok {
		return block{}, false
	}
	return block{p.Address(slot) + off, bytes}, true
}

func (p *rig) free(b block) error {
	if p.config.Locked {
		p.Lock()
	}
	slot, v := p.core.Free(b.addr, b.bytes)
	if p.config.Locked {
		if p.Waiting() {
			p.Serve()
		}
		p.Unlock()
	}
	if v != Freed {
		return p.ready().Freed(slot, v, nil, b.addr, b.bytes)
	}
	return nil
}

func (p *rig) close() error      { return p.ready().Close(p.forget) }
func (p *rig) closeForce() error { return p.ready().CloseForce(p.forget) }
func (p *rig) forget()           { p.core = fakeCore{emptied: p.core.emptied} }

// must are the calls that have to succeed.
func (p *rig) mustAlloc(bytes uint64) block {
	p.t.Helper()
	b, err := p.alloc(bytes)
	if err != nil {
		p.t.Fatalf("alloc(%d): %v", bytes, err)
	}
	return b
}

func (p *rig) mustFree(blocks ...block) {
	p.t.Helper()
	for _, b := range blocks {
		if err := p.free(b); err != nil {
			p.t.Fatalf("free: %v", err)
		}
	}
}

// sound checks what holds whenever nobody is inside the pool.
func (p *rig) sound() {
	p.t.Helper()
	e := p.ready()
	e.lock()
	defer e.unlock()
	var sum, n int64
	for slot, c := range e.chunks.list {
		if c.Size > 0 {
			sum, n = sum+c.Size, n+1
		}
		if !e.closed && (p.core.chunks[uint32(slot)] != nil) != (c.Size > 0) {
			p.t.Errorf("slot %d: table and core disagree", slot)
		}
	}
	for _, c := range e.leftover {
		sum, n = sum+c.Size, n+1
	}
	state := fmt.Sprintf("reserved %d, count %d, asking %d, leaving %d, lowering %v, waiting %d, parked %d, limit %d, bound %d",
		e.reserved, e.count, e.asking, e.leaving, e.lowering, e.waiting, e.parked, e.limit, e.bound)
	if e.reserved != sum || e.count != n {
		p.t.Errorf("chunks: %d of %d bytes; %s", n, sum, state)
	}
	if e.asking != 0 || e.leaving != 0 || e.lowering || e.waiting != 0 || e.parked != 0 || len(e.queue) != 0 || e.limit != e.bound {
		p.t.Errorf("not at rest: %s", state)
	}
	if e.reserved > e.limit {
		p.t.Errorf("above the limit: %s", state)
	}
	if e.config.Source != nil && p.source.held() != e.reserved {
		p.t.Errorf("source has given %d; %s", p.source.held(), state)
	}
}

// wantErr fails unless err matches the error, as a PoolError. nil wants success.
func wantErr(t testing.TB, what string, err, want error) {
	t.Helper()
	if want == nil {
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		return
	}
	var p *PoolError
	if !errors.Is(err, want) || !errors.As(err, &p) {
		t.Fatalf("%s: got %v, want %v", what, err, want)
	}
}
