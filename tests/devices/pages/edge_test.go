//go:build cudasim

package pages

import (
	"context"
	"testing"
	"time"

	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/runtime"
)

// A request beyond the addresses fails also where it may wait: nobody can free what it needs.
func TestNobodyWaitsForAddresses(t *testing.T) {
	machine(t) // 64 MiB
	p := new(OpenPool)
	closing(t, p)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_, err := p.AllocContext(ctx, 40*page)
	refused(t, "more than the device has", err, runtime.ErrOutOfMemory)
	if ctx.Err() != nil {
		t.Error("waited")
	}
}

// A pool that may hold nothing can be opened.
func TestNoLimitAtAll(t *testing.T) {
	machine(t)
	for _, limit := range []int64{0, 1, page - 1} {
		p, err := NewPlainPool(runtime.WithLimit(limit))
		check(t, "open", err)
		closing(t, p)
		refused(t, "alloc", second(p.Alloc(1)), runtime.ErrTooLarge)
	}
}

// After memory went back, growth starts over.
func TestGrowthStartsOver(t *testing.T) {
	machine(t)
	p := new(DoublingPool)
	closing(t, p)
	var held []DoublingSpan
	for range 8 {
		held = append(held, must(p.Alloc(page)))
	}
	for _, b := range held {
		check(t, "free", p.Free(b))
	}
	must(p.Trim(0))
	b := must(p.Alloc(1))
	reserved(t, p, 1)
	check(t, "free", p.Free(b))
}

// Idle pages that the driver does not take go later.
func TestIdlePagesGoLater(t *testing.T) {
	machine(t)
	p := new(IdlePool)
	closing(t, p)
	a, b := must(p.Alloc(page)), must(p.Alloc(page))
	check(t, "free", p.Free(a))
	sim.Fail("cuMemUnmap", 1, outOfMemory)
	for deadline := time.Now().Add(5 * time.Second); p.Stats().Reserved > page; p.Poll() {
		if time.Now().After(deadline) {
			t.Fatal("an idle page stays")
		}
		time.Sleep(time.Millisecond)
	}
	check(t, "free", p.Free(b))
}
