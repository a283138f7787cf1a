package budget

import (
	"errors"
	"flag"
	"math/rand/v2"
	"sync"
	"testing"
)

var steps = flag.Int("budget.steps", 20_000, "steps of TestModel")

// model is a budget with pools that come and go.
type model struct {
	*testing.T
	*rand.Rand
	b     *Budget
	pools []*pool
	// What the pools may hold and be charged for: the limit or, since it was lowered below that, what they held and were charged for.
	held, charged int64
}

func newModel(t *testing.T, seed uint64, pools int) *model {
	m := &model{T: t, Rand: rand.New(rand.NewPCG(seed, 1)), b: New("B", 1000), held: 1000, charged: 1000}
	for range pools {
		m.pools = append(m.pools, m.open())
	}
	return m
}

// open makes a pool with random terms, and has it join: without a guarantee if that finds no room.
func (m *model) open() *pool {
	terms := Terms{Guarantee: m.Int64N(300) * m.Int64N(2), Priority: m.IntN(3), Reclaim: Ways(m.IntN(8))}
	p := newPool(m.T, m.b, terms, m.Int64N(1000))
	p.hook = m.hookOf(p)
	if !p.m.Join() {
		terms.Guarantee = 0
		p.m = NewMember(m.b, p, terms)
		p.m.Join()
	}
	return p
}

// hookOf returns a hook that frees something, does nothing, or panics.
func (m *model) hookOf(p *pool) func(int64) {
	switch m.IntN(3) {
	case 0:
		return func(int64) { p.free() }
	case 1:
		return func(int64) { panic(errSource) }
	}
	return nil
}

// step does something with a pool, and reports whether it was a request that found no room.
func (m *model) step(p *pool) (full bool) {
	defer func() {
		if r := recover(); r != nil && r != errSource { // a hook
			panic(r)
		}
	}()
	switch m.IntN(12) {
	case 0, 1, 2, 3:
		n := 1 + m.Int64N(200)
		return errors.Is(p.grow(n, m.IntN(8) > 0), errFull) && n <= p.limit-p.m.Held()
	case 4, 5, 6, 7:
		p.free()
	case 8:
		p.trim()
	case 9:
		p.wake()
	case 10:
		p.GiveAsleep("")
	}
	return false
}

// replace closes a pool, and opens another in its place.
func (m *model) replace(at int) {
	m.pools[at].close()
	m.pools[at] = m.open()
}

// setLimit changes the limit of the budget.
func (m *model) setLimit() {
	n := m.Int64N(1500)
	guaranteed, ok := m.b.SetLimit(n)
	if ok != (n >= guaranteed) {
		m.Errorf("limit %d with guarantees of %d: %v", n, guaranteed, ok)
	}
	if ok {
		m.held, m.charged = max(n, m.b.Held()), max(n, m.b.Charged())
	}
}

// check checks the invariants while no call is in progress.
func (m *model) check() {
	m.Helper()
	var held, charged, guaranteed int64
	for _, p := range m.pools {
		has := sum(p.live) + sum(p.empty)
		if p.m.Held() != has {
			m.Fatalf("a pool has %d, and is charged for %d", has, p.m.Held())
		}
		if has > p.limit {
			m.Fatalf("I3: %d above the limit of the pool, %d", has, p.limit)
		}
		held, charged, guaranteed = held+has, charged+max(has, p.m.Guarantee), guaranteed+p.m.Guarantee
	}
	m.held, m.charged = min(m.held, max(m.b.Limit(), held)), min(m.charged, max(m.b.Limit(), charged)) // what is less once stays less
	switch {
	case m.b.Held() != held || m.b.Charged() != charged || m.b.Guaranteed() != guaranteed:
		m.Fatalf("held %d, charged %d, guaranteed %d; the budget has %d, %d, %d", held, charged, guaranteed, m.b.Held(), m.b.Charged(), m.b.Guaranteed())
	case held > m.held:
		m.Fatalf("I1: %d held, of %d", held, m.held)
	case charged > m.charged:
		m.Fatalf("I2: %d charged, of %d", charged, m.charged)
	}
}

// starved fails if a request found no room although a pool had an empty chunk beyond its guarantee.
func (m *model) starved(asker *pool) {
	m.Helper()
	for _, p := range m.pools {
		if p != asker && p.spareEmpty() {
			m.Fatalf("I5: no room, and %v are empty beyond a guarantee of %d", p.empty, p.m.Guarantee)
		}
	}
}

// end closes all pools.
func (m *model) end() {
	for _, p := range m.pools {
		p.close()
	}
	if len(m.b.turn.token) > 0 {
		m.Error("a panic has left somebody reclaiming")
	}
	if m.b.Held() != 0 || m.b.Charged() != 0 || m.b.Guaranteed() != 0 || len(m.b.Members()) != 0 {
		m.Fatalf("I6: held %d, charged %d, guaranteed %d, %d members", m.b.Held(), m.b.Charged(), m.b.Guaranteed(), len(m.b.Members()))
	}
}

// The invariants hold after each of many random steps.
//
//	go test ./runtime/internal/budget -run TestModel -budget.steps 1000000
func TestModel(t *testing.T) {
	m := newModel(t, 1, 6)
	full := 0
	for range *steps {
		at := m.IntN(len(m.pools))
		switch m.IntN(60) {
		case 0:
			m.replace(at)
		case 1:
			m.setLimit()
		default:
			if m.step(m.pools[at]) {
				full++
				m.starved(m.pools[at])
			}
		}
		m.check()
	}
	if full == 0 {
		t.Error("no request found no room")
	}
	m.end()
}

// The invariants hold whenever 8 goroutines with a pool each have come to rest.
func TestModelAtOnce(t *testing.T) {
	const goroutines = 8
	m := newModel(t, 2, goroutines)
	for round := range 50 {
		var all sync.WaitGroup
		for i, p := range m.pools {
			own := &model{T: t, Rand: rand.New(rand.NewPCG(uint64(round), uint64(i))), b: m.b}
			all.Go(func() {
				for range 50 {
					own.step(p)
				}
			})
		}
		all.Wait()
		m.check()
		m.replace(m.IntN(goroutines))
		if round%5 == 0 {
			m.setLimit()
		}
	}
	m.end()
}
