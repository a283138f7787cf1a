package poolimpl

import (
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// reclaimed collects the events of what pools give to others, until the test ends.
func reclaimed(t *testing.T) *[]poolrt.Event {
	list := new([]poolrt.Event)
	t.Cleanup(poolrt.OnEvent(func(e poolrt.Event) {
		if e.Kind == poolrt.EventReclaim {
			*list = append(*list, e)
		}
	}))
	return list
}

// What a hook has freed may be gone when it returns, by the trim policy or as the hook has trimmed. Then there is room, and the pool has given it.
func TestHookGivesAtOnce(t *testing.T) {
	for name, policy := range map[string]*TrimPolicy{"the hook trims": nil, "the policy trims": {}} {
		t.Run(name, func(t *testing.T) {
			b, events := NewBudget("B", 200), reclaimed(t)
			p := newRig(t, func(c *Config) { c.Name, c.Budget, c.Reclaim, c.Trim = "test.Giver", b, ReclaimHook, policy })
			q := newRig(t, func(c *Config) { c.Name, c.Budget = "test.Needy", b })
			x := p.mustAlloc(100)
			q.mustAlloc(100)
			p.ready().OnReclaim(func(int64) {
				if p.mustFree(x); policy == nil {
					p.mustTrim()
				}
			})
			q.mustAlloc(100)
			if n := p.Stats().Given; n != 100 {
				t.Errorf("%d given", n)
			}
			if len(*events) != 1 || (*events)[0].Pool != "test.Giver" || (*events)[0].For != "test.Needy" || (*events)[0].Bytes != 100 {
				t.Errorf("%+v", *events)
			}
		})
	}
}

// The hooks of a pool without a lock are its user's, and no other goroutine calls them.
func TestHooksOfOneUser(t *testing.T) {
	p := newRig(t, func(c *Config) { c.Locked = false })
	p.ready().OnReclaim(func(int64) { t.Error("called") })
	if n := p.CallHooks(100, "test"); n != 0 {
		t.Errorf("%d given", n)
	}
}

// While a pool that opens waits for others to give what its guarantee lacks, Open may put it into another budget. It joins that one.
func TestBudgetChangesMeanwhile(t *testing.T) {
	a, b := NewBudget("A", 100), NewBudget("B", 100)
	full := func(of *Budget) (*rig, block) {
		p := newRig(t, func(c *Config) { c.Budget, c.Reclaim = of, ReclaimHook })
		return p, p.mustAlloc(100)
	}
	inA, _ := full(a)
	inB, x := full(b)
	p := newRig(t, func(c *Config) { c.Budget, c.Guarantee = a, 100 })
	asked, goOn, opened := make(chan bool), make(chan bool), make(chan error)
	inA.ready().OnReclaim(func(int64) {
		go func() { opened <- p.ready().Open(poolrt.WithBudget(b, 100, 50)) }()
		<-asked
	})
	inB.ready().OnReclaim(func(int64) {
		close(asked)
		<-goOn
		inB.mustFree(x)
	})
	used := make(chan error)
	go func() { used <- p.ready().Prime(0) }()
	if err := <-used; err != nil { // there is no room yet
		wantErr(t, "prime", err, poolrt.ErrLimit)
	}
	close(goOn)
	wantErr(t, "open", <-opened, nil)
	if p.mustAlloc(100); members(b) != 2 || p.Budget() != b || b.Reserved() != 100 || b.Info().Kept != 0 {
		t.Errorf("%d members, %+v", members(b), b.Info())
	}
}
