package poolimpl

import (
	"errors"
	"flag"
	"math/rand/v2"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/budget"
)

var elasticSteps = flag.Int("elastic.steps", 3000, "steps of TestElasticModel")

// tenants are pools of one budget, each with its live blocks.
type tenants struct {
	*testing.T
	*rand.Rand
	b     *Budget
	pools []*tenant
	most  int64 // what they may hold: the limit or, since it was lowered below what they held, that
}

type tenant struct {
	*rig
	live []block
}

// open makes a pool with random terms.
func (m *tenants) open() *tenant {
	p := new(tenant)
	p.rig = newRig(m.T, func(c *Config) {
		c.Budget, c.Limit = m.b, int64(100+m.IntN(900))
		c.Guarantee, c.Priority = min(c.Limit, int64(100*m.IntN(4)*m.IntN(2))), m.IntN(3)
		c.Reclaim = [...]Ways{0, ReclaimNone, ReclaimHook, ReclaimTrim | ReclaimHook}[m.IntN(4)]
		c.Locked = m.IntN(8) > 0
	})
	p.source.onAlloc = func(int) error {
		if m.IntN(10) == 0 {
			return errNoMemory
		}
		return nil
	}
	if m.IntN(2) == 0 {
		p.ready().OnReclaim(func(int64) {
			if m.IntN(5) == 0 {
				panic(errNoMemory)
			}
			p.freeOne()
		})
	}
	return p
}

// freeOne frees the oldest block.
func (p *tenant) freeOne() {
	if len(p.live) > 0 {
		p.mustFree(p.live[0])
		p.live = p.live[1:]
	}
}

// allocOne allocates a block. It reports whether that found no room in the budget, although the pool's own limit has room.
func (p *tenant) allocOne(bytes uint64) (full bool) {
	defer func() {
		if r := recover(); r != nil && r != errNoMemory { // a hook of another pool
			panic(r)
		}
	}()
	b, err := p.ready().alloc(request{bytes: bytes, align: 1})
	if err == nil {
		p.live = append(p.live, block{b.Addr, bytes})
		return false
	}
	if !errors.Is(err, poolrt.ErrLimit) && !errors.Is(err, poolrt.ErrOutOfMemory) && !errors.Is(err, poolrt.ErrTooLarge) {
		p.t.Error(err)
	}
	return errors.Is(err, poolrt.ErrLimit) && int64(bytes) <= p.limits.bound-p.limits.reserved
}

// check checks the invariants I1 to I3.
func (m *tenants) check() {
	m.Helper()
	var held, charged int64
	for _, p := range m.pools {
		n, guarantee := p.source.held(), p.guarantee()
		if held += n; n > p.limits.limit {
			m.Fatalf("I3: %d held, of %d", n, p.limits.limit)
		}
		if !p.life.opened {
			guarantee = 0 // has not joined
		}
		charged += max(n, guarantee)
	}
	m.most = min(m.most, max(m.b.Limit(), held))
	if got := m.b.Info(); held > m.most || got.Reserved != held || got.Reserved+got.Kept != charged {
		m.Fatalf("I1, I2: %d held of %d, %d charged; the budget has %+v", held, m.most, charged, got)
	}
}

// starved fails if another pool that may be asked has an empty chunk beyond its guarantee.
func (m *tenants) starved(asker *tenant) {
	m.Helper()
	for _, p := range m.pools {
		if p == asker || !p.life.opened || p.budget.Reclaim&budget.Trim == 0 {
			continue
		}
		for s := range p.memory.layout.surplus(lastFirst) {
			if int64(s.Size) <= p.limits.held()-p.guarantee() {
				m.Fatalf("I5: no room, and %d bytes are empty in a pool that holds %d and needs %d", s.Size, p.limits.held(), p.guarantee())
			}
		}
	}
}

// Engines keep the invariants of their budget after each of many random steps.
//
//	go test ./runtime/poolimpl -run TestElasticModel -elastic.steps 1000000
func TestElasticModel(t *testing.T) {
	m := &tenants{T: t, Rand: rand.New(rand.NewPCG(3, 1)), b: NewBudget("B", 1500), most: 1500}
	for range 5 {
		m.pools = append(m.pools, m.open())
	}
	full := 0
	for range *elasticSteps {
		at := m.IntN(len(m.pools))
		p := m.pools[at]
		switch m.IntN(40) {
		case 0:
			wantErr(t, "close", p.closeForce(), nil)
			m.pools[at] = m.open()
		case 1:
			n := int64(m.IntN(2500))
			if err := m.b.SetLimit(n); err == nil {
				m.most = max(n, m.b.Reserved())
			}
		case 2:
			_, err := p.ready().Trim(0)
			wantErr(t, "trim", err, nil)
		case 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16:
			p.freeOne()
		default:
			if p.allocOne(uint64(1 + m.IntN(100))) {
				full++
				m.starved(p)
			}
		}
		m.check()
	}
	if full == 0 {
		t.Error("no request found no room")
	}
	for _, p := range m.pools {
		wantErr(t, "close", p.closeForce(), nil)
	}
	if got := m.b.Info(); got.Reserved != 0 || got.Kept != 0 || members(m.b) != 0 {
		t.Errorf("I6: %+v", got)
	}
}
