package poolimpl

import (
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/budget"
	"github.com/poolgen/poolgen/tests/fatal"
)

// TestBudget: the limit of a budget bounds its pools together, and one pool can reserve what another released.
func TestBudget(t *testing.T) {
	b := NewBudget("B", 250)
	share := func(c *Config) { c.Budget = b }
	p, q := newRig(t, share), newRig(t, share)
	x := p.mustAlloc(100)
	p.mustAlloc(100)
	q.mustAlloc(50) // the rest, as a smaller chunk
	_, err := q.alloc(50)
	wantErr(t, "alloc", err, poolrt.ErrLimit)
	if b.Reserved() != 250 {
		t.Errorf("budget has %d", b.Reserved())
	}
	p.mustFree(x)
	if n, err := p.Trim(0); n != 100 || err != nil {
		t.Fatalf("trim: %d, %v", n, err)
	}
	q.mustAlloc(100)
	big := newRig(t, func(c *Config) { c.Budget, c.Oversize = b, true })
	_, err = big.alloc(251)
	wantErr(t, "alloc", err, poolrt.ErrTooLarge)
	for _, r := range []*rig{p, q, big} {
		fatal.If(t, r.closeForce())
	}
	if b.Reserved() != 0 || members(b) != 0 {
		t.Errorf("after closing: %d bytes, %d members", b.Reserved(), members(b))
	}
}

// TestBudgetSingleChunk: a pool of one chunk does not make its chunk smaller because other pools have reserved memory.
func TestBudgetSingleChunk(t *testing.T) {
	b := NewBudget("B", 150)
	other := newRig(t, func(c *Config) { c.Budget = b })
	x := other.mustAlloc(100)
	p := newRig(t, func(c *Config) { c.Budget, c.SingleChunk, c.Limit = b, true, 100 })
	_, err := p.alloc(10)
	wantErr(t, "alloc", err, poolrt.ErrLimit)
	other.mustFree(x)
	if _, err := other.Trim(0); err != nil {
		t.Fatal(err)
	}
	p.mustAlloc(100)
}

// TestNoBudget: a nil budget limits nothing.
func TestNoBudget(t *testing.T) {
	var b *Budget
	if b.Limit() != poolrt.NoLimit || b.Reserved() != 0 || b.Name() != "" {
		t.Error("a nil budget limits something")
	}
	if b = NewBudget("Scene", 7); b.Name() != "Scene" || b.Limit() != 7 {
		t.Error(b.Name(), b.Limit())
	}
}

// members counts the pools of a budget.
func members(b *Budget) int { return len((*budget.Budget)(b).Members()) }
