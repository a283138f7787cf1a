//go:build cudasim

package pages

import (
	"context"
	"testing"
	"time"

	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// A request that is larger than the reserved addresses fails even if it may wait: no free can make room for it.
func TestRequestBeyondTheAddressesDoesNotWait(t *testing.T) {
	machine(t) // 64 MiB
	p := new(OpenPool)
	rig.Closing(t, p)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_, err := p.AllocContext(ctx, 40*page)
	rig.Refused(t, "more than the device has", err, poolrt.ErrOutOfMemory)
	if ctx.Err() != nil {
		t.Error("the call waited")
	}
}

// A pool with a limit of 0 can be opened.
func TestNoLimitAtAll(t *testing.T) {
	machine(t)
	for _, limit := range []int64{0, 1, page - 1} {
		p, err := NewPlainPool(poolrt.WithLimit(limit))
		rig.Check(t, "open", err)
		rig.Closing(t, p)
		rig.Refused(t, "alloc", rig.Second(p.Alloc(1)), poolrt.ErrTooLarge)
	}
}

// After memory is returned, growth starts again.
func TestGrowthStartsOver(t *testing.T) {
	machine(t)
	p := new(DoublingPool)
	rig.Closing(t, p)
	var held []DoublingSpan
	for range 8 {
		held = append(held, rig.Must(p.Alloc(page)))
	}
	for _, b := range held {
		rig.Check(t, "free", p.Free(b))
	}
	rig.Must(p.Trim(0))
	b := rig.Must(p.Alloc(1))
	reserved(t, p, 1)
	rig.Check(t, "free", p.Free(b))
}

// Idle pages that the driver fails to unmap are returned later.
func TestIdlePagesGoLater(t *testing.T) {
	machine(t)
	p := new(IdlePool)
	rig.Closing(t, p)
	a, b := rig.Must(p.Alloc(page)), rig.Must(p.Alloc(page))
	rig.Check(t, "free", p.Free(a))
	sim.Fail("cuMemUnmap", 1, outOfMemory)
	for deadline := time.Now().Add(5 * time.Second); p.Stats().Reserved > page; p.Poll() {
		if time.Now().After(deadline) {
			t.Fatal("an idle page stays")
		}
		time.Sleep(time.Millisecond)
	}
	rig.Check(t, "free", p.Free(b))
}
