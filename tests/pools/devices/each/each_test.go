//go:build cudasim

package each

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

const devices = 3

// machine makes a machine of several devices.
func machine(t *testing.T) {
	t.Helper()
	rig.Machine(t, sim.Config{Devices: devices, Capacity: 1 << 30, Schedule: 1})
}

// on checks that an address is on a device.
func on(t *testing.T, p cuda.DevicePtr, want int) {
	t.Helper()
	if d := rig.Must(p.Device()); int(d) != want {
		t.Errorf("a block is on %v, want device %d", d, want)
	}
}

// Each device has a pool, and a free reaches the pool of the block.
func TestFreesFindTheDeviceOfTheBlock(t *testing.T) {
	machine(t)
	p := new(CellPool)
	var all []CellPtr
	for round := range 4 {
		for d := range devices {
			q := p.On(d)
			if q != p.On(d) || q.On(d) != q || q == p {
				t.Fatal("not one pool for each device")
			}
			c := rig.Must(q.Alloc())
			on(t, c.Addr(), d)
			all = append(all, c)
			if n := q.Stats().Live; n != int64(round+1) {
				t.Errorf("device %d: %d live", d, n)
			}
		}
	}
	c := rig.Must(p.Alloc())
	on(t, c.Addr(), 0)
	rig.Refused(t, "free in another device's pool", p.On(1).Free(c), poolrt.ErrForeign)
	rig.Refused(t, "close", p.Close(), poolrt.ErrLive)
	rig.Refused(t, "close one", p.On(2).Close(), poolrt.ErrLive)
	rig.Check(t, "free", p.Free(c))
	rig.Refused(t, "free twice", p.Free(c), poolrt.ErrInvalidFree)
	rig.Refused(t, "free nothing", p.Free(0), poolrt.ErrForeign)
	rig.Check(t, "free one", p.Free(all[len(all)-1]))
	rig.Check(t, "free batch", p.FreeBatch(all[:len(all)-1]))
	for d := range devices {
		if s := p.On(d).Stats(); s.Live != 0 || s.Allocs < 4 {
			t.Errorf("device %d: %+v", d, s)
		}
	}
	rig.Check(t, "close", p.Close())
	rig.Refused(t, "closed", rig.Second(p.On(1).Alloc()), poolrt.ErrClosed)
	rig.Refused(t, "closed", rig.Second(p.Alloc()), poolrt.ErrClosed)
	rig.Check(t, "close again", p.Close())
}

// A snapshot has the pools of all devices with the addresses of their blocks. The owner of a pool without a lock gets them too.
func TestSnapshotHasThePoolsOfAllDevices(t *testing.T) {
	machine(t)
	p, mine := new(CellPool), new(MinePool)
	for d := range devices {
		live := rig.Must(p.On(d).Alloc())
		gone := rig.Must(p.On(d).Alloc())
		rig.Check(t, "free", p.Free(gone))
		s := p.Snapshot()
		if len(s.Pools) != d+1 || s.Pools[d].Device != d || s.Pools[d].Stats.Live != 1 || s.Pools[d].Requested != "device" {
			t.Fatalf("device %d: %+v", d, s.Pools)
		}
		n := 0
		for _, c := range s.Pools[d].Chunks {
			for _, piece := range c.Pieces {
				if piece.State == poolrt.PieceLive {
					n++
					if c.Addr+piece.Off != uint64(live.Addr()) {
						t.Errorf("device %d: a block at %#x, want %v", d, c.Addr+piece.Off, live.Addr())
					}
				}
			}
		}
		if one := p.On(d).Snapshot(); n != 1 || len(one.Pools) != 1 || one.Pools[0].Device != d {
			t.Errorf("device %d: %d live, %+v", d, n, one)
		}
	}
	row := rig.Must(mine.On(1).Alloc(100))
	if s := mine.Snapshot(); len(s.Pools) != 1 || !s.Pools[0].Walked || s.Pools[0].Concurrency != "none" || len(s.Pools[0].Chunks) != 1 {
		t.Errorf("%+v", s)
	}
	rig.Check(t, "free", mine.On(1).Free(row))
	rig.Check(t, "close", errors.Join(mine.Close(), p.CloseForce()))
}

// Devices that do not exist share one pool, whose calls fail.
func TestDevicesThatDoNotExistHaveOnePool(t *testing.T) {
	machine(t)
	p := new(RowPool)
	for _, d := range []int{devices, 17, -1, 1 << 40} {
		rig.Refused(t, "alloc", rig.Second(p.On(d).Alloc(10)), poolrt.ErrUnsupported)
		rig.Refused(t, "free", p.On(d).Free(RowSpan{}), poolrt.ErrForeign)
	}
	rig.Check(t, "close", p.Close())
	rig.Refused(t, "a pool that was never used", rig.Second(p.On(1).Alloc(10)), poolrt.ErrClosed)
}

// The limit and the options apply to each device.
func TestOptionsHoldForEachDevice(t *testing.T) {
	machine(t)
	p := rig.Must(NewCellPool(poolrt.WithLimit(64<<10), poolrt.WithName("cells")))
	for d := range devices {
		q := p.On(d)
		for q.Stats().Failures == 0 {
			_, err := q.Alloc()
			var e *poolrt.PoolError
			if errors.As(err, &e) && e.Pool != "cells on device "+string(rune('0'+d)) {
				t.Errorf("pool %q", e.Pool)
			}
		}
		if s := q.Stats(); s.Reserved != 64<<10 || s.Limit != 64<<10 {
			t.Errorf("device %d: %+v", d, s)
		}
	}
	rig.Refused(t, "in use", p.each.Open(nil, p, (*CellPool).make), poolrt.ErrLive)
	rig.Check(t, "close", p.CloseForce())
	for _, o := range []poolrt.Option{poolrt.WithLimit(1 << 40), poolrt.WithLimit(-1)} {
		rig.Refused(t, "limit", rig.Second(NewCellPool(o)), poolrt.ErrBadSize)
	}
	rig.Refused(t, "device", rig.Second(NewCellPool(poolrt.OnDevice(1))), poolrt.ErrUnsupported)

	var fresh CellPool
	sim.Fail("cuEventCreate", 1000, 1) // nothing
	_ = fresh.On(1).Stats()
	rig.Check(t, "open before first use", fresh.each.Open([]poolrt.Option{poolrt.WithLimit(128 << 10)}, &fresh, (*CellPool).make))
	if n := fresh.On(1).Stats().Limit; n != 128<<10 {
		t.Errorf("limit %d", n)
	}
	rig.Check(t, "close", fresh.Close())
}

// A block that is allocated on a stream is on the stream's device.
func TestBlocksComeFromTheDeviceOfTheStream(t *testing.T) {
	machine(t)
	p := new(RowPool)
	for d := range devices {
		s := rig.Must(cuda.Device(d).NewStream(cuda.NonBlocking))
		for range 100 {
			b := rig.Must(p.AllocOn(1000, s))
			on(t, b.Addr(), d)
			rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), s))
			rig.Check(t, "free", p.FreeOn(b, s))
		}
		b := rig.Must(p.On(d).Alloc(500))
		rig.Check(t, "free", p.FreeAsync(b, s))
		rig.Check(t, "stream", s.Synchronize())
		rig.Check(t, "stream", s.Close())
	}
	if n := p.Poll(); n < devices {
		t.Errorf("%d reclaimed", n)
	}
	rig.Check(t, "close", p.Close())
}

// Goroutines of all devices share a pool, and free each other's blocks.
func TestGoroutinesOfAllDevicesShareAPool(t *testing.T) {
	machine(t)
	p := new(RowPool)
	blocks := make(chan RowSpan, 64)
	var done sync.WaitGroup
	for g := range 2 * devices {
		done.Go(func() {
			d := g % devices
			s := rig.Must(cuda.Device(d).NewStream(cuda.NonBlocking))
			for i := range 300 {
				var b RowSpan
				if i%2 == 0 {
					b = rig.Must(p.AllocOn(100+i, s))
				} else {
					b = rig.Must(p.On(d).AllocContext(context.Background(), 100+i))
				}
				on(t, b.Addr(), d)
				select {
				case blocks <- b:
				case other := <-blocks:
					if err := errors.Join(p.Free(other), p.FreeOn(b, s)); err != nil {
						t.Error(err)
					}
				}
			}
			rig.Check(t, "stream", s.Close())
		})
	}
	done.Wait()
	close(blocks)
	for b := range blocks {
		rig.Check(t, "free", p.Free(b))
	}
	for d := range devices {
		if s := p.On(d).Stats(); s.Live != 0 {
			t.Errorf("%+v", s)
		}
	}
	rig.Check(t, "close", p.Close())
}

// Pools of other kinds: without frees, for one goroutine, of page-locked memory.
func TestPoolsOfOtherKinds(t *testing.T) {
	machine(t)
	frame, mine, page, stage, both, direct := new(FramePool), new(MinePool), new(MinePagePool), new(StagePool), new(BothPool), new(DirectPool)
	var stages [][]byte
	var items []*Body
	var chunks []DirectSpan
	for d := range devices {
		on(t, rig.Must(frame.On(d).Alloc(100)).Addr(), d)
		rig.Check(t, "reset", frame.On(d).Reset())
		b := rig.Must(mine.On(d).Alloc(100))
		on(t, b.Addr(), d)
		rig.Check(t, "free", mine.Free(b))
		rig.Must(mine.On(d).DriverHandle())
		mark := page.On(d).Mark()
		on(t, rig.Must(page.On(d).Alloc(100)).Addr(), d)
		rig.Check(t, "release", page.On(d).Release(mark))
		stages = append(stages, rig.Must(stage.On(d).Alloc(1000)))
		items = append(items, rig.Must(both.On(d).Alloc()))
		for range 3 {
			chunks = append(chunks, rig.Must(direct.On(d).Alloc(70000)))
		}
	}
	for d := range devices {
		rig.Check(t, "free", stage.Free(stages[d]))
		rig.Check(t, "free", both.Free(items[d]))
	}
	for _, c := range chunks {
		rig.Check(t, "free", direct.Free(c))
		rig.Refused(t, "free twice", direct.Free(c), poolrt.ErrInvalidFree)
	}
	rig.Refused(t, "nothing", stage.Free(nil), poolrt.ErrForeign)
	rig.Check(t, "with", stage.With(10, func(b []byte) error { b[0] = 1; return nil }))
	ref := rig.Must(stage.AllocRef(10))
	rig.Check(t, "release", ref.Release())
	for _, c := range []interface{ Close() error }{frame, mine, page, stage, both, direct} {
		rig.Check(t, "close", c.Close())
	}
}

// The package's functions act on the current device's pool, and Alloc and Free make no garbage.
func TestPackageFunctionsUseTheCurrentDevice(t *testing.T) {
	machine(t)
	cellDefault = CellPool{} // it may have been closed before
	rig.Check(t, "configure", ConfigureDefaultCellPool(poolrt.WithLimit(64<<10)))
	c := rig.Must(AllocCell())
	on(t, c.Addr(), 0)
	rig.Check(t, "free", FreeCell(c))
	other := rig.Must(DefaultCellPool().On(2).Alloc())
	rig.Check(t, "free", FreeCell(other))
	if n := testing.AllocsPerRun(100, func() { rig.Check(t, "free", FreeCell(rig.Must(AllocCell()))) }); n > 0 && !poolrt.Debug {
		t.Errorf("%v allocations for a pair", n)
	}
	rig.Check(t, "close", DefaultCellPool().Close())
}

// While a context other than the primary one is current, the pool does not choose a device: its memory would not be that of the context.
func TestForeignContextHasNoPool(t *testing.T) {
	machine(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var p CellPool
	rig.Check(t, "set context", sim.SetContext(rig.Must(sim.NewContext(1))))
	_, err := p.Alloc()
	var e *cuda.Error
	if !errors.As(err, &e) || e.Code != cuda.ResultInvalidContext {
		t.Errorf("alloc in a foreign context: %v", err)
	}
	b := rig.Must(p.On(1).Alloc())
	on(t, b.Addr(), 1)
	rig.Check(t, "free", p.Free(b))
	rig.Refused(t, "a device that does not exist", func() error { _, err := p.On(300).Alloc(); return err }(), poolrt.ErrUnsupported)
	rig.Check(t, "set context", sim.SetContext(rig.Must(cuda.Device(2).PrimaryContext())))
	sim.Fail("cuCtxGetCurrent", 1, int(cuda.ResultInvalidValue))
	_, err = p.Alloc()
	if !errors.As(err, &e) || e.Op != "CtxGetCurrent" {
		t.Errorf("the driver does not say which device is current: %v", err)
	}
	for name, call := range map[string]func() error{
		"trim": func() error { return rig.Second(p.Trim(0)) }, "set limit": func() error { return p.SetLimit(64 << 10) }, "reset": new(FramePool).Reset,
	} {
		sim.Fail("cuCtxGetCurrent", 1, int(cuda.ResultInvalidValue))
		if err := call(); !errors.As(err, &e) || e.Op != "CtxGetCurrent" {
			t.Errorf("%s: %v", name, err)
		}
	}
	b = rig.Must(p.Alloc())
	on(t, b.Addr(), 2)
	rig.Check(t, "free", p.Free(b))
	rig.Check(t, "set context", sim.SetContext(0))
	rig.Check(t, "close", p.Close())
}
