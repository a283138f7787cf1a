//go:build cudasim

package streams

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
	"github.com/poolgen/poolgen/tests/pools/streams/pools"
)

// drivers are the subjects whose blocks the driver orders.
func drivers() (all []Subject) {
	for _, s := range Subjects() {
		if s.byDriver() {
			all = append(all, s)
		}
	}
	return all
}

// eachDriver runs a test with each subject whose blocks the driver orders, on a new machine.
func eachDriver(t *testing.T, cfg sim.Config, test func(t *testing.T, s Subject, on cuda.Stream)) {
	for i, s := range drivers() {
		t.Run(s.Name, func(t *testing.T) {
			rig.Machine(t, cfg)
			test(t, drivers()[i], rig.Stream(t, 0))
		})
	}
}

// alloc is the function of the driver by which a subject allocates.
func (s Subject) alloc() string {
	if s.Name == "driver sharded" { // of device_async
		return "cuMemAllocAsync"
	}
	return "cuMemAllocFromPoolAsync"
}

// holds checks what a pool has: so many live blocks of 1000 bytes, and nothing beside them.
func holds(t *testing.T, p Whole, live int64) {
	t.Helper()
	st := p.Stats()
	const each = 1024 // rounded up to what the driver hands out
	if st.Live != live || st.Chunks != live || st.LiveBytes != 1000*live || st.Reserved != each*live || st.Pending != 0 || st.Unreturned != 0 {
		t.Errorf("want %d live blocks: %+v", live, st)
	}
}

// Each allocation on a stream, and each free, is one call of the driver, and none of them waits. An allocation without a stream waits for it.
func TestDriverCalls(t *testing.T) {
	if poolrt.Debug {
		t.Skip("the checks of blocks call the driver")
	}
	eachDriver(t, sim.Config{Devices: 1}, func(t *testing.T, s Subject, on cuda.Stream) {
		clears := 0
		if s.Name == "driver alone" {
			clears = 1
		}
		rig.Check(t, "free", s.FreeOn(rig.Must(s.AllocOn(1000, on)), on)) // opens the pool
		count := func(what string, want map[string]int, f func()) {
			t.Helper()
			before, total := map[string]int{}, 0
			for name := range want {
				before[name] = sim.Calls(name)
			}
			all := sim.Calls("")
			f()
			for name, n := range want {
				if got := sim.Calls(name) - before[name]; got != n {
					t.Errorf("%s: %d calls of %s, want %d", what, got, name, n)
				}
				total += n
			}
			if got := sim.Calls("") - all; got != total {
				t.Errorf("%s: %d calls of the driver, want %d", what, got, total)
			}
		}
		var b Block
		for range 6 { // twice by each way to allocate
			count("AllocOn", map[string]int{s.alloc(): 1, "cuMemsetD8Async": clears}, func() { b = rig.Must(s.AllocOn(1000, on)) })
			holds(t, s.Pool, 1)
			count("FreeOn", map[string]int{"cuMemFreeAsync": 1}, func() { rig.Check(t, "free", s.FreeOn(b, on)) })
			holds(t, s.Pool, 0)
		}
		if clears == 0 {
			count("Alloc", map[string]int{s.alloc(): 1, "cuStreamSynchronize": 1}, func() { b = rig.Must(s.Alloc(1000)) })
			count("Free", map[string]int{"cuMemFreeAsync": 1}, func() { rig.Check(t, "free", s.Free(b)) })
		}
		sim.RunAll()
		rig.Check(t, "close", s.Pool.Close())
	})
}

// A stream that frees and allocates again gets the same memory at once. Others get it when they are ordered behind the free.
func TestDriverReuses(t *testing.T) {
	if poolrt.Debug {
		t.Skip("the quarantine keeps blocks")
	}
	const size = 2 << 20
	rig.Machine(t, sim.Config{Devices: 1, Capacity: 2 * size}) // streams do not advance
	p, a, b := new(pools.DriverBigPool), rig.Stream(t, 0), rig.Stream(t, 0)
	rig.Check(t, "policy", p.SetDriverAttr(cuda.ReuseAllowInternalDependencies, 0))
	first := rig.Must(p.AllocOn(size, a))
	rig.Check(t, "work", cuda.MemsetAsync(first.Addr(), 1, size, a))
	rig.Check(t, "free", p.FreeOn(first, a))
	other := rig.Must(p.AllocOn(size, b))
	if other == first {
		t.Error("a stream got memory that another may still use")
	}
	again := rig.Must(p.AllocOn(size, a))
	if again != first {
		t.Errorf("the stream freed %#x and got %#x", first.Addr(), again.Addr())
	}
	rig.Check(t, "free", p.FreeOn(again, a))
	passed := rig.Must(cuda.Device(0).NewEvent())
	rig.Closing(t, passed)
	rig.Check(t, "record", passed.Record(a))
	rig.Check(t, "wait", b.Wait(passed))
	behind := rig.Must(p.AllocOn(size, b))
	if behind != first {
		t.Errorf("a stream that waits for the free of %#x got %#x", first.Addr(), behind.Addr())
	}
	rig.Check(t, "free", p.FreeOn(behind, b))
	rig.Check(t, "free", p.Free(other))
	sim.RunAll()
	rig.Check(t, "close", p.Close())
}

// What is no live block of the pool is refused, changes nothing and does not reach the driver.
func TestDriverMisuse(t *testing.T) {
	rig.Machine(t, sim.Config{Devices: 1, Schedule: 3})
	p, q, on := new(pools.DriverPool), new(pools.DriverPool), rig.Stream(t, 0)
	foreign, b := rig.Must(q.AllocOn(1000, on)), rig.Must(p.AllocOn(1000, on))
	freed := rig.Must(p.AllocOn(2000, on))
	rig.Check(t, "free", p.FreeOn(freed, on))
	before := sim.Calls("cuMemFreeAsync")
	both := func(what string, b pools.DriverSpan, want error) {
		t.Helper()
		rig.Refused(t, what+" on a stream", p.FreeOn(b, on), want)
		rig.Refused(t, what, p.Free(b), want)
	}
	both("a block of another pool", foreign, poolrt.ErrForeign)
	both("a part of a block", b.Slice(256, 1000), poolrt.ErrForeign)
	both("another length", b.Slice(0, 999), poolrt.ErrForeign)
	both("no block", pools.DriverSpan{}, poolrt.ErrForeign)
	both("a second free", freed, poolrt.ErrDoubleFree)
	for _, n := range []int{-1, 1<<62 + 1} {
		if _, err := p.AllocOn(n, on); err == nil {
			t.Errorf("%d bytes were allocated", n)
		}
	}
	if n := sim.Calls("cuMemFreeAsync") - before; n != 0 && !poolrt.Debug {
		t.Errorf("%d frees reached the driver", n)
	}
	if live := p.Stats().Live; live != 1 {
		t.Errorf("%d blocks are live, want 1", live)
	}
	rig.Refused(t, "close", p.Close(), poolrt.ErrLive)
	rig.Check(t, "free", p.FreeOn(b, on))
	rig.Check(t, "free", q.FreeOn(foreign, on))
	sim.RunAll()
	rig.Check(t, "close", p.Close())
	rig.Check(t, "close", q.Close())
	both("after Close", b, poolrt.ErrClosed)
	rig.Refused(t, "after Close", rig.Second(p.AllocOn(1, on)), poolrt.ErrClosed)
}

// If the driver fails to allocate, nothing is counted, and the error has its reason. If it has no memory just then, the pool trims and tries again.
func TestDriverFailsToAllocate(t *testing.T) {
	eachDriver(t, sim.Config{Devices: 1}, func(t *testing.T, s Subject, on cuda.Stream) {
		rig.Check(t, "free", s.FreeOn(rig.Must(s.AllocOn(1000, on)), on))
		if poolrt.Debug {
			_ = rig.Must(s.Pool.Trim(0))
		}
		const unknown, noMemory = 999, 2
		sim.Fail(s.alloc(), 1, unknown)
		_, err := s.AllocOn(1000, on)
		if e := rig.As[*cuda.Error](t, err); e.Code != unknown || "cu"+e.Op != s.alloc() {
			t.Error(err)
		}
		holds(t, s.Pool, 0)
		sim.Fail(s.alloc(), 1, noMemory)
		trims := sim.Calls("cuMemPoolTrimTo")
		b, err := s.AllocOn(1000, on)
		rig.Check(t, "alloc", err)
		if sim.Calls("cuMemPoolTrimTo") != trims+1 {
			t.Error("the memory that the driver kept unused was not given back")
		}
		holds(t, s.Pool, 1)
		rig.Check(t, "free", s.FreeOn(b, on))
		sim.RunAll()
		rig.Check(t, "close", s.Pool.Close())
	})
}

// If the driver fails to free, the block is live as before, and can be freed again, once.
func TestDriverFailsToFree(t *testing.T) {
	if poolrt.Debug {
		t.Skip("the quarantine frees blocks later")
	}
	for _, way := range []string{"FreeOn", "Free", "Free without a stream"} {
		eachDriver(t, sim.Config{Devices: 1}, func(t *testing.T, s Subject, on cuda.Stream) {
			alloc, free := s.AllocOn, func(b Block) error { return s.FreeOn(b, on) }
			if way != "FreeOn" {
				free = s.Free
			}
			if way == "Free without a stream" {
				alloc = func(n int, _ cuda.Stream) (Block, error) { return s.Alloc(n) }
			}
			b := rig.Must(alloc(1000, on))
			sim.Fail("cuMemFreeAsync", 1, 999)
			err := free(b)
			rig.Refused(t, way, err, poolrt.ErrNotReturned)
			if e := rig.As[*cuda.Error](t, err); e.Op != "MemFreeAsync" {
				t.Error(err)
			}
			holds(t, s.Pool, 1)
			rig.Check(t, "work", cuda.MemsetAsync(b.Addr, 1, b.Bytes, on))
			rig.Refused(t, "close", s.Pool.Close(), poolrt.ErrLive)
			rig.Check(t, "wait", on.Synchronize())
			rig.Check(t, way, free(b))
			rig.Refused(t, way, free(b), poolrt.ErrDoubleFree)
			holds(t, s.Pool, 0)
			sim.RunAll()
			rig.Check(t, "close", s.Pool.Close())
		})
	}
}

// If the driver has no memory, an allocation waits for the streams of the frees that the pool remembers: of at most 64 streams.
func TestDriverDrains(t *testing.T) {
	if poolrt.Debug {
		t.Skip("the quarantine frees blocks later")
	}
	const size = 2 << 20
	for _, n := range []int{3, 64, 70} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			rig.Machine(t, sim.Config{Devices: 1, Capacity: uint64(n) * size}) // streams do not advance
			p := rig.Must(pools.NewDriverBigPool())
			rig.Check(t, "policy", p.SetDriverAttr(cuda.ReuseAllowInternalDependencies, 0))
			on := rig.Stream(t, 0)
			for range n {
				s := rig.Stream(t, 0)
				b := rig.Must(p.AllocOn(size, s))
				rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), s))
				rig.Check(t, "free", p.FreeOn(b, s))
			}
			before := sim.Calls("cuEventRecord")
			_, err := p.AllocOn(size, on)
			rig.Refused(t, "no stream advances", err, poolrt.ErrOutOfMemory)
			if got, want := sim.Calls("cuEventRecord")-before, min(n, 64); got != want {
				t.Errorf("waited for %d streams, want %d", got, want)
			}
			if st := p.Stats(); st.Live != 0 || st.Reserved != 0 {
				t.Errorf("after the failure: %+v", st)
			}
			sim.Schedule(5) // each call of the driver runs some operations
			b := rig.Must(p.AllocOn(size, on))
			rig.Check(t, "free", p.FreeOn(b, on))
			sim.RunAll()
			rig.Check(t, "close", p.Close())
		})
	}
}

// A pool that has remembered more streams than it can forgets those on which nothing was freed lately, and waits for the others.
func TestDriverForgetsStreams(t *testing.T) {
	if poolrt.Debug {
		t.Skip("the quarantine frees blocks later")
	}
	const size = 2 << 20
	rig.Machine(t, sim.Config{Devices: 1, Capacity: 65 * size})
	p := rig.Must(pools.NewDriverBigPool())
	rig.Check(t, "policy", p.SetDriverAttr(cuda.ReuseAllowInternalDependencies, 0))
	busy := rig.Stream(t, 0)
	for range 200 {
		s := rig.Stream(t, 0)
		rig.Check(t, "free", p.FreeOn(rig.Must(p.AllocOn(256, s)), s))
		sim.RunAll()
		rig.Check(t, "free", p.FreeOn(rig.Must(p.AllocOn(256, busy)), busy))
	}
	sim.RunAll()
	var held []pools.DriverBigSpan
	for range 65 {
		held = append(held, rig.Must(p.AllocOn(size, busy)))
	}
	rig.Check(t, "free", p.FreeOn(held[0], busy))
	before := sim.Calls("cuEventRecord")
	rig.Refused(t, "the stream does not advance", rig.Second(p.AllocOn(size, rig.Stream(t, 0))), poolrt.ErrOutOfMemory)
	if n := sim.Calls("cuEventRecord") - before; n != 1 { // the others have passed
		t.Errorf("waited for %d streams, want the one that freed last", n)
	}
	for _, b := range held[1:] {
		rig.Check(t, "free", p.FreeOn(b, busy))
	}
	sim.RunAll()
	rig.Check(t, "close", p.Close())
}

// Blocks whose stream was destroyed can be freed: without a stream the driver has then done all its work. A free on a destroyed stream fails, and loses nothing.
func TestDriverStreamIsGone(t *testing.T) {
	if poolrt.Debug {
		t.Skip("the quarantine frees blocks later")
	}
	eachDriver(t, sim.Config{Devices: 1}, func(t *testing.T, s Subject, on cuda.Stream) {
		gone := rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking))
		a, b := rig.Must(s.AllocOn(1000, gone)), rig.Must(s.AllocOn(1000, gone))
		passed := rig.Must(cuda.Device(0).NewEvent())
		rig.Closing(t, passed)
		rig.Check(t, "record", passed.Record(gone))
		rig.Check(t, "wait", on.Wait(passed))
		rig.Check(t, "close", gone.Close())
		if err := s.FreeOn(b, gone); err == nil {
			t.Error("a free on a destroyed stream succeeded")
		}
		holds(t, s.Pool, 2)
		rig.Check(t, "free", s.FreeOn(a, on))
		before := sim.Calls("cuCtxSynchronize")
		rig.Check(t, "free", s.Free(b))
		if sim.Calls("cuCtxSynchronize") != before+1 {
			t.Error("the free did not wait for the work of the destroyed stream")
		}
		holds(t, s.Pool, 0)
		sim.RunAll()
		rig.Check(t, "close", s.Pool.Close())
	})
}

// While the stream of a block is being captured, a free without a stream is refused, as the free on it is. The capture stays valid.
func TestDriverCapture(t *testing.T) {
	eachDriver(t, sim.Config{Devices: 1, Schedule: 3}, func(t *testing.T, s Subject, on cuda.Stream) {
		b := rig.Must(s.AllocOn(1000, on))
		rig.Check(t, "begin", on.BeginCapture())
		unsupported(t, "alloc", rig.Second(s.AllocOn(1000, on)))
		unsupported(t, "free", s.FreeOn(b, on))
		if !poolrt.Debug { // the quarantine takes the block, and frees it later
			unsupported(t, "free", s.Free(b))
			holds(t, s.Pool, 1)
		}
		other := rig.Must(s.Alloc(1000))
		rig.Check(t, "free without a stream", s.Free(other))
		rig.Must(on.EndCapture()).Close()
		if !poolrt.Debug {
			rig.Check(t, "free", s.Free(b))
			rig.Check(t, "close", s.Pool.Close())
		}
		rig.Check(t, "close", s.Pool.CloseForce())
	})
}

// A pool that is closed by force gives back its blocks, when the streams that they were allocated on have reached that.
func TestDriverClosesByForce(t *testing.T) {
	eachDriver(t, sim.Config{Devices: 1}, func(t *testing.T, s Subject, on cuda.Stream) {
		b := rig.Must(s.AllocOn(1000, on))
		_ = rig.Must(s.Alloc(1000))
		rig.Check(t, "close", s.Pool.CloseForce())
		if st := s.Pool.Stats(); st.Reserved != 0 || st.Unreturned != 0 {
			t.Errorf("after close: %+v", st)
		}
		rig.Refused(t, "after close", s.FreeOn(b, on), poolrt.ErrClosed)
	})
}

// Blocks are zero at each allocation, on a stream and without one, also if their memory was used before.
func TestDriverZeroes(t *testing.T) {
	rig.Machine(t, sim.Config{Devices: 1})
	p, s := new(pools.DriverOwnPool), rig.Stream(t, 0)
	for i := range 4 {
		alloc := p.Alloc
		if i%2 == 0 {
			alloc = func(n int) (pools.DriverOwnSpan, error) { return p.AllocOn(n, s) }
		}
		b := rig.Must(alloc(1000))
		got := make([]byte, 1000)
		rig.Check(t, "read", b.CopyTo(got, s))
		rig.Check(t, "wait", s.Synchronize())
		for at, x := range got {
			if x != 0 {
				t.Fatalf("allocation %d: byte %d is %d", i, at, x)
			}
		}
		rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), s))
		rig.Check(t, "free", p.FreeOn(b, s))
	}
	sim.RunAll()
	rig.Check(t, "close", p.Close())
}

// The limit is exact: its bytes are free at the call of the free. Those who wait get them at a free, and when the limit is raised.
func TestDriverLimit(t *testing.T) {
	rig.Machine(t, sim.Config{Devices: 1}) // streams do not advance
	p, s := new(pools.DriverShardPool), rig.Stream(t, 0)
	const size, limit = 64 << 10, 256 << 10
	rig.Check(t, "limit", p.SetLimit(limit))
	var held []pools.DriverShardSpan
	for range limit / size {
		held = append(held, rig.Must(p.AllocOn(size, s)))
	}
	rig.Refused(t, "at the limit", rig.Second(p.AllocOn(1, s)), poolrt.ErrLimit)
	rig.Refused(t, "a lower limit", p.SetLimit(limit/2), poolrt.ErrLive)
	rig.Refused(t, "a higher limit than the file's", p.SetLimit(1<<30), poolrt.ErrBadSize)
	short, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err := p.AllocContextOn(short, size, s)
	if !errors.Is(err, poolrt.ErrLimit) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a wait that ends: %v", err)
	}
	for _, room := range []func() error{
		func() error { return p.FreeOn(held[0], s) },
		func() error { return p.SetLimit(limit + size) },
	} {
		got := make(chan error)
		go func() {
			_, err := p.AllocContextOn(context.Background(), size, s)
			got <- err
		}()
		rig.Check(t, "room", room())
		rig.Check(t, "a wait", <-got)
	}
	if st := p.Stats(); st.Live != 5 || st.Reserved < 5*size && !poolrt.Debug || st.Pending != 0 {
		t.Errorf("%+v", st)
	}
	rig.Check(t, "close", p.CloseForce())
}

// Trim waits for no stream of the program. It has the driver return what is unused, down to so many bytes.
func TestDriverTrim(t *testing.T) {
	if poolrt.Debug {
		t.Skip("the quarantine keeps blocks")
	}
	rig.Machine(t, sim.Config{Devices: 1})
	p, s := new(pools.DriverPool), rig.Stream(t, 0)
	rig.Check(t, "keep", p.SetDriverAttr(cuda.ReleaseThreshold, 1<<30))
	a, b := rig.Must(p.AllocOn(1000, s)), rig.Must(p.AllocOn(1000, s))
	rig.Check(t, "free", p.FreeOn(a, s))
	rig.Check(t, "free", p.FreeOn(b, s))
	reserved := func() int64 { return rig.Must(p.DriverStats()).Reserved }
	_ = rig.Must(p.Trim(0))
	if reserved() == 0 {
		t.Error("the driver gave back memory of a free that the stream has not passed")
	}
	rig.Check(t, "run", sim.Run(s))
	_ = rig.Must(p.Trim(1 << 30))
	if reserved() == 0 {
		t.Error("the driver gave back what it was to keep")
	}
	_ = rig.Must(p.Trim(0))
	if n := reserved(); n != 0 {
		t.Errorf("the driver keeps %d bytes", n)
	}
	rig.Check(t, "close", p.Close())
}

// Options of growth have no meaning where each block is an allocation of the driver, and are refused.
func TestDriverOptions(t *testing.T) {
	rig.Machine(t, sim.Config{Devices: 1})
	for name, option := range map[string]poolrt.Option{"prime": poolrt.WithPrime(1), "chunk size": poolrt.WithChunkSize(1 << 20)} {
		_, err := pools.NewDriverPool(option)
		rig.Refused(t, name, err, poolrt.ErrUnsupported)
	}
	p := rig.Must(pools.NewDriverPool(poolrt.WithLimit(4096), poolrt.WithName("small")))
	b := rig.Must(p.Alloc(1))
	rig.Refused(t, "the limit of an option", rig.Second(p.Alloc(4096)), poolrt.ErrLimit)
	rig.Check(t, "free", p.Free(b))
	rig.Check(t, "close", p.Close())
}
