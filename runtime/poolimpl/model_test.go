package poolimpl_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/bump"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/direct"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/fixed"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/ring"
)

// The parameters of suballocators of equal blocks, and of any.
var (
	blocks = &fixed.Params{BlockSize: 64, ItemBytes: 64, Counters: true, Trims: true}
	ranges = &heap.Params{Granule: 16, MinSplit: 16, Counters: true, Trims: true}
)

// paramsOf returns the parameters of a suballocator.
func paramsOf(core poolimpl.Core) any {
	switch core.(type) {
	case *fixed.Core:
		return blocks
	case *bump.Core:
		return &bump.Params{Granule: 16}
	case *direct.Core:
		return &direct.Params{Counters: true}
	case *ring.Core:
		return &ring.Params{Granule: 16, ArenaSize: 1 << 20, Counters: true, Trims: true}
	}
	return ranges
}

// region is a chunk or a live block.
type region struct{ addr, size uint64 }

// source allocates addresses, and fails at one call or at random.
type source struct {
	r      *rand.Rand
	given  []region
	next   uint64
	failAt int
	calls  int
	held   int64
}

var errDry = errors.New("dry")

func (s *source) Alloc(size, align int64) (poolimpl.Chunk, error) {
	s.calls++
	if s.calls == s.failAt {
		return poolimpl.Chunk{}, errDry
	}
	// Some chunks are adjacent.
	s.next = (s.next + uint64(align) - 1) / uint64(align) * uint64(align)
	c := poolimpl.Chunk{Addr: s.next, Size: size}
	s.next += uint64(size) + uint64(s.r.IntN(2)*4096)
	s.given = append(s.given, region{c.Addr, uint64(size)})
	s.held += size
	return c, nil
}

func (s *source) Free(c poolimpl.Chunk) error {
	if s.r.IntN(20) == 0 {
		return errDry
	}
	i := slices.Index(s.given, region{c.Addr, uint64(c.Size)})
	s.given = slices.Delete(s.given, i, i+1)
	s.held -= c.Size
	return nil
}

// machine runs random operations on an engine with a real core, and checks their results against a model.
type machine struct {
	t      *testing.T
	r      *rand.Rand
	source *source
	config poolimpl.Config
	engine poolimpl.Engine
	core   poolimpl.Core
	fixed  uint64 // the size of all blocks; 0: any
	live   []region
	limit  int64
}

func (m *machine) ready() *poolimpl.Engine { return m.engine.Init(&m.config, m.core) }

func (m *machine) alloc() {
	n, align := 1+m.r.Uint64N(9000), uint64(1)<<m.r.IntN(14)
	if m.r.IntN(30) == 0 {
		n *= 20
	}
	if m.fixed > 0 {
		n, align = m.fixed, 1
	}
	b, err := m.ready().Alloc(1, n, align)
	if err != nil {
		m.failed(err, n)
		return
	}
	got := region{b.Addr, n}
	if b.Addr%align != 0 {
		m.t.Fatalf("%#x is not aligned to %d", b.Addr, align)
	}
	if !slices.ContainsFunc(m.source.given, func(c region) bool { return c.addr <= got.addr && got.addr+n <= c.addr+c.size }) {
		m.t.Fatalf("block %v lies outside of all chunks", got)
	}
	for _, o := range m.live {
		if got.addr < o.addr+o.size && o.addr < got.addr+n {
			m.t.Fatalf("block %v overlaps %v", got, o)
		}
	}
	m.live = append(m.live, got)
}

// failed checks that the operation had to fail.
func (m *machine) failed(err error, n uint64) {
	s := m.ready().Stats()
	switch {
	case errors.Is(err, poolrt.ErrOutOfMemory):
		if !errors.Is(err, errDry) || m.source.calls < m.source.failAt {
			m.t.Fatalf("the source has not failed: %v", err)
		}
	case errors.Is(err, poolrt.ErrTooLarge):
		if n <= uint64(m.config.ChunkSize) && int64(n)+4096 <= s.Limit {
			m.t.Fatalf("%d bytes are not too many: %v", n, err)
		}
	case errors.Is(err, poolrt.ErrLimit):
		if int64(n)+s.Reserved+4096 <= s.Limit {
			m.t.Fatalf("the limit is not reached: %v", err)
		}
	default:
		m.t.Fatal(err)
	}
}

func (m *machine) free(addr, bytes uint64) error {
	slot, v := m.core.Free(addr, bytes)
	if v == poolimpl.Freed {
		return nil
	}
	return m.ready().FreeSlow(slot, v, addr, bytes)
}

func (m *machine) step() {
	e := m.ready()
	switch n := m.r.IntN(100); {
	case n < 50:
		m.alloc()
	case n < 85 && len(m.live) > 0:
		i := m.r.IntN(len(m.live))
		b := m.live[i]
		m.live = slices.Delete(m.live, i, i+1)
		if err := m.free(b.addr, b.size); err != nil {
			m.t.Fatalf("free: %v", err)
		}
		if err := m.free(b.addr, b.size); !errors.Is(err, poolrt.ErrInvalidFree) {
			m.t.Fatalf("second free: %v", err)
		}
	case n < 88:
		if _, err := e.Trim(m.r.Int64N(200_000)); err != nil && !errors.Is(err, poolrt.ErrNotReturned) {
			m.t.Fatal(err)
		}
	case n == 88 && m.r.IntN(5) == 0:
		to := m.limit + m.r.Int64N(60_000) - 30_000
		if err := e.SetLimit(to); err == nil {
			m.limit = to
		} else if errors.Is(err, poolrt.ErrBadSize) {
			if to >= 0 && to <= m.config.MaxLimit {
				m.t.Fatalf("limit %d is refused: %v", to, err)
			}
		} else if !errors.Is(err, poolrt.ErrLive) && !errors.Is(err, poolrt.ErrNotReturned) {
			m.t.Fatal(err)
		}
	case n == 89:
		e.Poll()
	case n == 90 && len(m.live) > 0:
		b := m.live[m.r.IntN(len(m.live))]
		if err := m.free(b.addr+1, b.size); !errors.Is(err, poolrt.ErrForeign) {
			m.t.Fatalf("free inside a block: %v", err)
		}
		if err := e.Close(nil); !errors.Is(err, poolrt.ErrLive) {
			m.t.Fatalf("close: %v", err)
		}
	}
}

// check compares the engine's figures with the model's.
func (m *machine) check() {
	poolimpl.CheckInvariants(m.t, m.ready())
	s := m.ready().Stats()
	var bytes int64
	for _, b := range m.live {
		bytes += int64(b.size)
	}
	if s.Live != int64(len(m.live)) || s.LiveBytes != bytes || s.Reserved != m.source.held || s.Chunks != int64(len(m.source.given)) ||
		s.Reserved > s.Limit || s.Limit != m.limit || s.LiveBytes+s.RoundingBytes > s.Reserved {
		m.t.Fatalf("%+v: %d live of %d bytes, %d held in %d chunks, limit %d",
			s, len(m.live), bytes, m.source.held, len(m.source.given), m.limit)
	}
}

func (m *machine) run(steps int) {
	for range steps {
		m.step()
		m.check()
	}
	m.source.failAt = 0
	m.alloc() // the pool works whether or not this fails
	for _, b := range m.live {
		if err := m.free(b.addr, b.size); err != nil {
			m.t.Fatalf("free: %v", err)
		}
	}
	m.live = nil
	m.check()
	for err := errDry; err != nil; {
		err = m.ready().Close(func() {})
		if err != nil && !errors.Is(err, poolrt.ErrNotReturned) {
			m.t.Fatal(err)
		}
	}
	if m.source.held != 0 {
		m.t.Fatalf("%d bytes left", m.source.held)
	}
}

// TestModel compares the engine, with real cores, to a model, while the source fails at each of its first calls in turn.
func TestModel(t *testing.T) {
	cores := []struct {
		name  string
		make  func() poolimpl.Core
		fixed uint64
		exact bool
	}{
		{"heap", func() poolimpl.Core { return new(heap.Core) }, 0, false},
		{"direct", func() poolimpl.Core { return new(direct.Core) }, 0, true},
		{"fixed", func() poolimpl.Core { return new(fixed.Core) }, blocks.BlockSize, false},
	}
	configs := []func(*poolimpl.Config){
		func(*poolimpl.Config) {},
		func(c *poolimpl.Config) { c.Double, c.Locked = true, true },
		func(c *poolimpl.Config) { c.Trim = &poolimpl.TrimPolicy{Keep: 100_000} },
		func(c *poolimpl.Config) {
			c.Trim, c.Locked = &poolimpl.TrimPolicy{Idle: time.Microsecond}, true
			c.Ladder = []poolimpl.Rung{poolimpl.TrimRung{}, poolimpl.ErrorRung{}}
		},
		func(c *poolimpl.Config) { c.Prime, c.Ladder = 70_000, []poolimpl.Rung{poolimpl.TrimRung{}} },
	}
	for _, kind := range cores {
		for i, change := range configs {
			t.Run(fmt.Sprint(kind.name, i), func(t *testing.T) {
				for fail := range 30 {
					r := rand.New(rand.NewPCG(uint64(fail), uint64(i)))
					s := &source{r: r, next: 1 << 20, failAt: fail}
					m := &machine{t: t, r: r, source: s, core: kind.make(), fixed: kind.fixed, limit: 400_000}
					m.config = poolimpl.Config{
						Name: "model.Pool", Source: s, Core: paramsOf(m.core), ChunkSize: 65536, Granularity: 4096, Alignment: 64, Limit: m.limit, MaxLimit: 500_000,
						Oversize: kind.fixed == 0, Direct: kind.exact, WaitTimeout: 1, Order: poolimpl.OnStreams{},
					}
					change(&m.config)
					if kind.exact { // there are no chunks to keep
						m.config.Trim, m.config.Prime, m.config.Double = nil, 0, false
					}
					m.run(300)
				}
			})
		}
	}
}
