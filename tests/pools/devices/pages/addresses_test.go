//go:build cudasim

package pages

import (
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// scattered fills 16 pages of addresses and frees every second page. It returns the blocks that are left.
func scattered(p *PlainPool) (left []PlainSpan) {
	var all []PlainSpan
	for range 16 {
		all = append(all, rig.Must(p.Alloc(page)))
	}
	for i, b := range all {
		if i%2 == 1 {
			left = append(left, b)
		} else if err := p.Free(b); err != nil {
			panic(err)
		}
	}
	return left
}

// A pool reserves addresses for twice its limit, and less if there are not as many, but at least for the limit: otherwise it cannot be opened.
func TestFirstRange(t *testing.T) {
	for pages, opens := range map[uint64]bool{1 << 20: true, 32: true, 31: true, 16: true, 15: false} {
		sim.Reset(sim.Config{Devices: 1, AddressSpace: pages * page})
		p := new(PlainPool) // 16 pages
		b, err := p.Alloc(page)
		if opens {
			rig.Check(t, "open", err)
			rig.Check(t, "free", p.Free(b))
		} else {
			rig.Refused(t, "open", err, poolrt.ErrOutOfMemory)
		}
		rig.Check(t, "close", p.Close())
		if n := sim.Live()[sim.KindRange]; n != 0 {
			t.Errorf("%d ranges are left", n)
		}
	}
}

// An integrated device has 61 GiB, and its driver reserves 16 GiB of addresses at most.
var integrated = sim.Config{Devices: 1, Capacity: 61 << 30, AddressSpace: 16 << 30}

// A pool without a limit in its pool file reserves what its limit can need, and gets further ranges when the limit rises.
func TestFewAddresses(t *testing.T) {
	rig.Machine(t, integrated)
	p := rig.Must(NewOpenPool(poolrt.WithLimit(1 << 30)))
	rig.Closing(t, p)
	other := rig.Must(NewOpenPool(poolrt.WithLimit(12 << 30))) // the first one leaves the addresses for it
	rig.Check(t, "close", other.Close())
	large := rig.Must(p.Alloc(1 << 30))
	rig.Check(t, "raise", p.SetLimit(4<<30))
	rig.Check(t, "prime", p.Prime(4<<30))
	var more []OpenSpan
	for range 3 {
		more = append(more, rig.Must(p.Alloc(1<<30)))
	}
	if n := sim.Live()[sim.KindRange]; n < 2 {
		t.Errorf("%d ranges have 4 GiB, and the first was for 1", n)
	}
	if s := p.Stats(); s.Reserved != 4<<30 || s.LiveBytes != 4<<30 {
		t.Errorf("%+v", s)
	}
	for _, b := range append(more, large) {
		rig.Check(t, "free", p.Free(b))
	}
}

// Without any limit a pool reserves less, as the driver refuses, and grows as far as the addresses do. Then the error says that these lack.
func TestFewAddressesWithoutALimit(t *testing.T) {
	rig.Machine(t, integrated)
	p := rig.Must(NewOpenPool())
	rig.Closing(t, p)
	var held []OpenSpan
	for {
		b, err := p.Alloc(1 << 30)
		if err != nil {
			rig.Refused(t, "alloc", err, poolrt.ErrOutOfMemory)
			if len(held) < 14 || !strings.Contains(poolrt.Explain(err), "more addresses in a row") {
				t.Errorf("after %d GiB: %s", len(held), poolrt.Explain(err))
			}
			break
		}
		held = append(held, b)
	}
	for _, b := range held {
		rig.Check(t, "free", p.Free(b))
	}
}

// If the driver reserves fewer addresses than the limit can need, the pool cannot be opened: the error says why, and what helps. A fallback applies.
func TestTooFewAddresses(t *testing.T) {
	rig.Machine(t, integrated)
	_, opened := NewOpenPool(poolrt.WithLimit(20 << 30))
	p := new(LackPool) // of the same limit, with a fallback
	rig.Closing(t, p)
	lazy := new(OpenPool)
	sim.Fail("cuMemAddressReserve", 0, int(cuda.ResultOutOfMemory))
	_, alone := lazy.Alloc(page)
	sim.Fail("cuMemAddressReserve", 0, 0)
	for _, err := range []error{opened, alone} {
		rig.Refused(t, "open", err, poolrt.ErrOutOfMemory)
		for _, want := range []string{"addresses, not memory", "It would have fitted with ", " addresses in a row", "a lower limit", "fallback"} {
			if !strings.Contains(poolrt.Explain(err), want) {
				t.Errorf("no %q in: %s", want, poolrt.Explain(err))
			}
		}
	}
	b := rig.Must(p.Alloc(page))
	if name, reason := p.Effective(); name != "device" || !strings.Contains(reason, "addresses, not memory") {
		t.Errorf("%s: %s", name, reason)
	}
	rig.Check(t, "free", p.Free(b))
	q := rig.Must(NewLackPool(poolrt.WithLimit(1 << 30))) // the remedy
	rig.Closing(t, q)
	if name, _ := q.Effective(); name != "device_virtual" {
		t.Errorf("with a lower limit: %s", name)
	}
}

// Where the live blocks leave no row of addresses, another range comes. Without addresses for it, the error says that they lack.
func TestRangesOfADriver(t *testing.T) {
	for _, more := range []uint64{0, 2} {
		sim.Reset(sim.Config{Devices: 1, AddressSpace: (16 + more) * page})
		p := rig.Must(NewPlainPool(poolrt.WithLimit(16 * page)))
		left := scattered(p) // all addresses of the first range, as the driver refuses twice as many
		b, err := p.Alloc(2 * page)
		if more == 0 {
			rig.Refused(t, "without addresses", err, poolrt.ErrOutOfMemory)
			if !strings.Contains(err.Error(), "addresses, not memory") {
				t.Error(err)
			}
		} else {
			rig.Check(t, "with addresses", err)
			left = append(left, b)
		}
		for _, b := range left {
			rig.Check(t, "free", p.Free(b))
		}
		ranges := 1
		if more > 0 {
			ranges = 2
		}
		for _, want := range []int{ranges, 1} {
			if n := sim.Live()[sim.KindRange]; n != want {
				t.Errorf("%d ranges, want %d", n, want)
			}
			rig.Must(p.Trim(0))
		}
		rig.Check(t, "close", p.Close())
		if n := sim.Live()[sim.KindRange]; n != 0 {
			t.Errorf("%d ranges are left", n)
		}
	}
}
