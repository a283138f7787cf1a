//go:build cudasim

package each

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/runtime"
)

const devices = 3

// machine starts over with a machine of several devices, and looks at the end of the test for what is left over.
func machine(t *testing.T) {
	t.Helper()
	sim.Reset(sim.Config{Devices: devices, Capacity: 1 << 30, Schedule: 1, Hazards: true})
	t.Cleanup(func() {
		for _, f := range sim.Findings() {
			t.Error(f)
		}
	})
}

func check(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// refused wants an error that matches.
func refused(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func second[T any](_ T, err error) error { return err }

// on wants an address to lie on a device.
func on(t *testing.T, p cuda.DevicePtr, want int) {
	t.Helper()
	if d := must(p.Device()); int(d) != want {
		t.Errorf("%v: a block lies on it, want device %d", d, want)
	}
}

// Each device has a pool of its own, and a free finds the one that the block is of.
func TestOn(t *testing.T) {
	machine(t)
	p := new(CellPool)
	var all []CellPtr
	for round := range 4 {
		for d := range devices {
			q := p.On(d)
			if q != p.On(d) || q.On(d) != q || q == p {
				t.Fatal("not one pool for each device")
			}
			c := must(q.Alloc())
			on(t, c.Addr(), d)
			all = append(all, c)
			if n := q.Stats().Live; n != int64(round+1) {
				t.Errorf("device %d: %d live", d, n)
			}
		}
	}
	c := must(p.Alloc())
	on(t, c.Addr(), 0)
	refused(t, "free in another device's pool", p.On(1).Free(c), runtime.ErrForeign)
	refused(t, "close", p.Close(), runtime.ErrLive)
	refused(t, "close one", p.On(2).Close(), runtime.ErrLive)
	check(t, "free", p.Free(c))
	refused(t, "free twice", p.Free(c), runtime.ErrInvalidFree)
	refused(t, "free nothing", p.Free(0), runtime.ErrForeign)
	check(t, "free one", p.Free(all[len(all)-1]))
	check(t, "free batch", p.FreeBatch(all[:len(all)-1]))
	for d := range devices {
		if s := p.On(d).Stats(); s.Live != 0 || s.Allocs < 4 {
			t.Errorf("device %d: %+v", d, s)
		}
	}
	check(t, "close", p.Close())
	refused(t, "closed", second(p.On(1).Alloc()), runtime.ErrClosed)
	refused(t, "closed", second(p.Alloc()), runtime.ErrClosed)
	check(t, "close again", p.Close())
}

// Devices that do not exist have pools whose calls fail, and no more than one.
func TestNoSuchDevice(t *testing.T) {
	machine(t)
	p := new(RowPool)
	for _, d := range []int{devices, 17, -1, 1 << 40} {
		refused(t, "alloc", second(p.On(d).Alloc(10)), runtime.ErrUnsupported)
		refused(t, "free", p.On(d).Free(RowSpan{}), runtime.ErrForeign)
	}
	check(t, "close", p.Close())
	refused(t, "a pool that was never used", second(p.On(1).Alloc(10)), runtime.ErrClosed)
}

// The limit holds for each device, as do options.
func TestOptions(t *testing.T) {
	machine(t)
	p := must(NewCellPool(runtime.WithLimit(64<<10), runtime.WithName("cells")))
	for d := range devices {
		q := p.On(d)
		for q.Stats().Failures == 0 {
			_, err := q.Alloc()
			var e *runtime.PoolError
			if errors.As(err, &e) && e.Pool != "cells on device "+string(rune('0'+d)) {
				t.Errorf("pool %q", e.Pool)
			}
		}
		if s := q.Stats(); s.Reserved != 64<<10 || s.Limit != 64<<10 {
			t.Errorf("device %d: %+v", d, s)
		}
	}
	refused(t, "in use", p.each.Open(nil, p, (*CellPool).make), runtime.ErrLive)
	check(t, "close", p.CloseForce())
	for _, o := range []runtime.Option{runtime.WithLimit(1 << 40), runtime.WithLimit(-1)} {
		refused(t, "limit", second(NewCellPool(o)), runtime.ErrBadSize)
	}
	refused(t, "device", second(NewCellPool(runtime.OnDevice(1))), runtime.ErrUnsupported)

	var fresh CellPool
	sim.Fail("cuEventCreate", 1000, 1) // nothing
	_ = fresh.On(1).Stats()
	check(t, "open before first use", fresh.each.Open([]runtime.Option{runtime.WithLimit(128 << 10)}, &fresh, (*CellPool).make))
	if n := fresh.On(1).Stats().Limit; n != 128<<10 {
		t.Errorf("limit %d", n)
	}
	check(t, "close", fresh.Close())
}

// Blocks on a stream come from the stream's device.
func TestStreams(t *testing.T) {
	machine(t)
	p := new(RowPool)
	for d := range devices {
		s := must(cuda.Device(d).NewStream(cuda.NonBlocking))
		for range 100 {
			b := must(p.AllocOn(1000, s))
			on(t, b.Addr(), d)
			check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), s))
			check(t, "free", p.FreeOn(b, s))
		}
		b := must(p.On(d).Alloc(500))
		check(t, "free", p.FreeAsync(b, s))
		check(t, "stream", s.Synchronize())
		check(t, "stream", s.Close())
	}
	if n := p.Poll(); n < devices {
		t.Errorf("%d retired", n)
	}
	check(t, "close", p.Close())
}

// Goroutines of all devices share a pool, and free each other's blocks.
func TestTogether(t *testing.T) {
	machine(t)
	p := new(RowPool)
	blocks := make(chan RowSpan, 64)
	var done sync.WaitGroup
	for g := range 2 * devices {
		done.Go(func() {
			d := g % devices
			s := must(cuda.Device(d).NewStream(cuda.NonBlocking))
			for i := range 300 {
				var b RowSpan
				if i%2 == 0 {
					b = must(p.AllocOn(100+i, s))
				} else {
					b = must(p.On(d).AllocContext(context.Background(), 100+i))
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
			check(t, "stream", s.Close())
		})
	}
	done.Wait()
	close(blocks)
	for b := range blocks {
		check(t, "free", p.Free(b))
	}
	for d := range devices {
		if s := p.On(d).Stats(); s.Live != 0 {
			t.Errorf("%+v", s)
		}
	}
	check(t, "close", p.Close())
}

// Pools of other kinds: without frees, for one goroutine, of page-locked memory.
func TestKinds(t *testing.T) {
	machine(t)
	frame, mine, page, stage, both, direct := new(FramePool), new(MinePool), new(MinePagePool), new(StagePool), new(BothPool), new(DirectPool)
	var stages [][]byte
	var items []*Body
	var chunks []DirectSpan
	for d := range devices {
		on(t, must(frame.On(d).Alloc(100)).Addr(), d)
		check(t, "reset", frame.On(d).Reset())
		b := must(mine.On(d).Alloc(100))
		on(t, b.Addr(), d)
		check(t, "free", mine.Free(b))
		must(mine.On(d).DriverHandle())
		mark := page.On(d).Mark()
		on(t, must(page.On(d).Alloc(100)).Addr(), d)
		check(t, "release", page.On(d).Release(mark))
		stages = append(stages, must(stage.On(d).Alloc(1000)))
		items = append(items, must(both.On(d).Alloc()))
		for range 3 {
			chunks = append(chunks, must(direct.On(d).Alloc(70000)))
		}
	}
	for d := range devices {
		check(t, "free", stage.Free(stages[d]))
		check(t, "free", both.Free(items[d]))
	}
	for _, c := range chunks {
		check(t, "free", direct.Free(c))
		refused(t, "free twice", direct.Free(c), runtime.ErrInvalidFree)
	}
	refused(t, "nothing", stage.Free(nil), runtime.ErrForeign)
	check(t, "with", stage.With(10, func(b []byte) error { b[0] = 1; return nil }))
	ref := must(stage.AllocRef(10))
	check(t, "release", ref.Release())
	for _, c := range []interface{ Close() error }{frame, mine, page, stage, both, direct} {
		check(t, "close", c.Close())
	}
}

// The package's functions act on the current device's pool, and Alloc and Free make no garbage.
func TestDefault(t *testing.T) {
	machine(t)
	check(t, "configure", ConfigureDefaultCellPool(runtime.WithLimit(64<<10)))
	c := must(AllocCell())
	on(t, c.Addr(), 0)
	check(t, "free", FreeCell(c))
	other := must(DefaultCellPool().On(2).Alloc())
	check(t, "free", FreeCell(other))
	if n := testing.AllocsPerRun(100, func() { check(t, "free", FreeCell(must(AllocCell()))) }); n > 0 {
		t.Errorf("%v allocations for a pair", n)
	}
	check(t, "close", DefaultCellPool().Close())
}
