//go:build cudasim

package lookup

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// Find tells live blocks on a device from blocks that a stream may still be using. Those are found again once they are live again.
func TestFindPending(t *testing.T) {
	rig.Machine(t, sim.Config{Schedule: 1})
	s := rig.Stream(t, 0)
	p := must(NewFarRowPool())
	rig.Closing(t, p)
	strict := must(NewFarStrictPool())
	rig.Closing(t, strict)

	row := must(p.AllocOn(100, s))
	if b := must(p.Find(row.Addr())); b != row {
		t.Errorf("found %v, want %v", b, row)
	}
	if b := FarRowSpanAt(row.Addr(), row.Len()); b != row {
		t.Errorf("%v of the address and the length of %v", b, row)
	}
	_, err := p.Find(row.Slice(1, 2).Addr())
	refused(t, "address in a block", err, poolrt.ErrForeign)
	check(t, "free", p.FreeOn(row, s))
	_, err = p.Find(row.Addr())
	refused(t, "pending block", err, poolrt.ErrDoubleFree)
	again := must(p.AllocOn(100, s))
	if b := must(p.Find(again.Addr())); b != again {
		t.Errorf("found %v, want %v", b, again)
	}
	check(t, "free", p.FreeOn(again, s))
	check(t, "wait", s.Synchronize())
	p.Poll()
	_, err = p.Find(again.Addr())
	refused(t, "free block", err, poolrt.ErrInvalidFree)

	item := must(strict.AllocOn(s))
	if b := must(strict.Find(item.Addr())); b != item {
		t.Errorf("found %v, want %v", b, item)
	}
	check(t, "free", strict.FreeOn(item, s))
	_, err = strict.Find(item.Addr())
	refused(t, "pending item", err, poolrt.ErrDoubleFree)
	check(t, "wait", s.Synchronize())
}

// A pool with device: each finds the blocks of all devices.
func TestFindOnEachDevice(t *testing.T) {
	rig.Machine(t, sim.Config{Devices: 2, Schedule: 1})
	p := must(NewFarEachPool())
	rig.Closing(t, p)
	for device := range 2 {
		b := must(p.On(device).Alloc(3000))
		for _, from := range []*FarEachPool{p, p.On(device)} {
			if at := must(from.Find(b.Addr())); at != b {
				t.Errorf("device %d: found %v, want %v", device, at, b)
			}
		}
		_, err := p.On(1 - device).Find(b.Addr())
		refused(t, "block of another device", err, poolrt.ErrForeign)
		check(t, "free", p.Free(b))
		_, err = p.Find(b.Addr())
		refused(t, "freed block", err, poolrt.ErrInvalidFree)
	}
	_, err := p.Find(cuda.DevicePtr(1 << 60))
	refused(t, "foreign address", err, poolrt.ErrForeign)
}

// Memory that comes by pages, and single items.
func TestFindOnDevice(t *testing.T) {
	rig.Machine(t, sim.Config{Schedule: 1})
	pages, far := must(NewFarPagePool()), must(NewFarPool())
	rig.Closing(t, pages)
	rig.Closing(t, far)
	b, item := must(pages.Alloc(5<<20)), must(far.Alloc())
	if at := must(pages.Find(b.Addr())); at != b {
		t.Errorf("found %v, want %v", at, b)
	}
	if at := must(far.Find(item.Addr())); at != item {
		t.Errorf("found %v, want %v", at, item)
	}
	check(t, "free", pages.Free(b))
	check(t, "free", far.Free(item))
	_, err := far.Find(item.Addr())
	refused(t, "freed item", err, poolrt.ErrDoubleFree)
}

// Indexes and handles of blocks on a device.
func TestFarLinks(t *testing.T) {
	rig.Machine(t, sim.Config{Schedule: 1})
	numbered(t, new(FarLinkPool), 2<<20/256, FarLinkPtr(1<<40))
	p := must(NewFarLinkPool())
	h, b, err := p.AllocHandle()
	check(t, "alloc", err)
	if at, ok := p.Get(h); !ok || at != b {
		t.Errorf("Get: %v, %t, want %v", at, ok, b)
	}
	check(t, "free", p.FreeHandle(h))
	if at, ok := p.Get(h); ok || at != 0 {
		t.Errorf("stale handle leads to %v", at)
	}
	refused(t, "second free", p.FreeHandle(h), poolrt.ErrDoubleFree)
	check(t, "close", p.Close())
}
