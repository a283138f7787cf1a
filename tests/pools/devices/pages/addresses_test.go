//go:build cudasim

package pages

import (
	"strings"
	"testing"

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
