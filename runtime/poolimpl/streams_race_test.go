package poolimpl

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// Many goroutines share streams that complete their work concurrently, while others trim, poll, read figures and lower the limit: no
// block is used out of order, and no memory is left at the end.
func TestOrderConcurrent(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"free":    func(*Config) {},
		"limited": func(c *Config) { c.Limit = 400 },
		"trimmed": func(c *Config) { c.Limit, c.Trim = 600, &TrimPolicy{} },
		"idle":    func(c *Config) { c.Limit, c.Trim = 500, &TrimPolicy{Idle: time.Microsecond} },
	} {
		t.Run(name, func(t *testing.T) { raceOrder(t, newStreamRig, change) })
		t.Run(name+", shared core", func(t *testing.T) { raceOrder(t, newSharedRig, change) })
	}
}

func raceOrder(t *testing.T, rig func(testing.TB, func(*Config)) *streamRig, change func(*Config)) {
	p := rig(t, func(c *Config) {
		c.WaitTimeout = time.Millisecond
		change(c)
	})
	track := trackOrder(p)
	streams := []Stream{{ID: 1}, {ID: 2}, {ID: 3}, {ID: 4}, {ID: 5}}
	var workers, helpers sync.WaitGroup
	var over atomic.Bool
	for g := range uint64(4) {
		workers.Go(func() { raceWorker(p, track, streams, rand.New(rand.NewPCG(g, 3))) })
	}
	helpers.Go(func() {
		for r := rand.New(rand.NewPCG(1, 1)); !over.Load(); time.Sleep(20 * time.Microsecond) {
			s := streams[r.IntN(len(streams))]
			p.line.complete(s, p.line.position(s))
		}
	})
	helpers.Go(func() {
		for r := rand.New(rand.NewPCG(2, 1)); !over.Load(); time.Sleep(50 * time.Microsecond) {
			raceHelper(p, r)
		}
	})
	workers.Wait()
	over.Store(true)
	helpers.Wait()
	fatal.If(t, p.close())
	p.ended()
	if p.source.most > p.config.Limit {
		t.Errorf("%d bytes were held at once, limit %d", p.source.most, p.config.Limit)
	}
}

// raceWorker allocates and frees for a while, and then frees all of its blocks.
func raceWorker(p *streamRig, track *orderTrack, streams []Stream, r *rand.Rand) {
	var held []heldBlock
	for step := 0; step < 1000 || len(held) > 0; step++ {
		s := streams[r.IntN(len(streams))]
		bytes := uint64(1 + r.IntN(8)*5)
		switch k := r.IntN(5); {
		case k == 0 && step < 1000:
			if b, err := p.alloc(bytes); err == nil {
				track.handed(b, nil)
				held = append(held, heldBlock{b, nil})
			}
		case k < 3 && step < 1000:
			if b, err := p.allocOn(s, bytes); err == nil {
				track.handed(b, &s)
				track.use(b, s)
				held = append(held, heldBlock{b, &s})
			}
		case len(held) > 0:
			h := held[len(held)-1]
			held = held[:len(held)-1]
			var err error
			if h.on == nil {
				err = p.free(h.block)
			} else {
				err = p.freeOn(h.block, *h.on)
			}
			if err != nil {
				p.t.Error(err)
			}
		}
	}
}

func raceHelper(p *streamRig, r *rand.Rand) {
	switch r.IntN(5) {
	case 0:
		if _, err := p.ready().Trim(0); err != nil {
			p.t.Error(err)
		}
	case 1:
		p.ready().Poll()
	case 2:
		if s := p.ready().Stats(); s.Pending < 0 || s.Reserved > s.Limit {
			p.t.Errorf("%+v", s)
		}
	case 3:
		limit := p.ready().Stats().Limit
		if limit != poolrt.NoLimit && r.IntN(8) == 0 {
			limit--
		}
		_ = p.ready().SetLimit(limit) // it may be too low for what is live
	default:
		_ = p.ready().FreeOnSlow(s1, Freed, 0, 0)
	}
}
