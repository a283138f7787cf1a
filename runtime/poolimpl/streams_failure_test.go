package poolimpl

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/tests/large"
)

var errDriver = errors.New("the driver fails")

// Each call of the timeline and the source fails in turn, once or several times: no memory is lost, no block is used out of order, and
// the pool closes once the calls succeed again.
func TestOrderFailures(t *testing.T) {
	seeds := large.Or[uint64](4, 1)
	for _, call := range []string{"Record", "Done", "Wait", "Sync", "Alloc", "Free"} {
		for seed := range seeds {
			total := playFailures(t, seed, call, 0, 0)
			if total == 0 && call != "Wait" && call != "Sync" {
				t.Errorf("%s is never called", call)
			}
			for at := 1; at <= min(total, 40); at++ {
				for _, times := range []int{1, 20} {
					playFailures(t, seed, call, at, times)
					if t.Failed() {
						t.Fatalf("seed %d: %s fails from call %d on, %d times", seed, call, at, times)
					}
				}
			}
		}
	}
}

// playFailures plays a random program in which calls at, at+1, ... fail, and returns how many such calls there were.
func playFailures(t *testing.T, seed uint64, what string, at, times int) (calls int) {
	p := newStreamRig(t, func(c *Config) {
		c.Limit, c.WaitTimeout, c.Trim = 300, 1, &TrimPolicy{Keep: 100}
	})
	healed := false
	fails := func(call string) error {
		if call != what || healed {
			return nil
		}
		if calls++; calls >= at && calls < at+times {
			return fmt.Errorf("%s: %w", call, errDriver)
		}
		return nil
	}
	p.line.before = fails
	p.source.onAlloc = func(int) error { return fails("Alloc") }
	p.source.onFree = func(int) error { return fails("Free") }
	track := trackOrder(p)
	r := rand.New(rand.NewPCG(seed, 11))
	streams := []Stream{{ID: 1}, {ID: 2}, {ID: 3}}
	var held []heldBlock
	for range 150 {
		s, bytes := streams[r.IntN(3)], uint64(1+r.IntN(60))
		switch k := r.IntN(10); {
		case k < 4:
			if b, err := p.allocOn(s, bytes); err == nil {
				track.handed(b, &s)
				track.use(b, s)
				held = append(held, heldBlock{b, &s})
			}
		case k == 4:
			if b, err := p.alloc(bytes); err == nil {
				track.handed(b, nil)
				held = append(held, heldBlock{b, &s})
				track.use(b, s)
			}
		case k < 8 && len(held) > 0:
			h := held[0]
			held = held[1:]
			if err := p.freeOn(h.block, *h.on); err != nil {
				t.Error(err)
			}
		case k == 8:
			p.line.complete(s, uint64(r.IntN(int(p.line.at[s])+1)))
		default:
			_, _ = p.ready().Trim(0)
		}
	}
	for _, h := range held {
		if err := p.freeOn(h.block, *h.on); err != nil {
			t.Error(err)
		}
	}
	err := p.close()
	if healed = true; err != nil {
		if !errors.Is(err, errDriver) {
			t.Errorf("Close: %v", err)
		}
		err = p.close()
	}
	if err != nil {
		t.Errorf("Close without failures: %v", err)
	}
	p.ended()
	return calls
}
