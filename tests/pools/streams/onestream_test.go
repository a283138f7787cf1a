//go:build cudasim

package streams

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
	"github.com/poolgen/poolgen/tests/pools/streams/pools"
)

// together runs two goroutines that share the streams of a program, with choices of their own. It reports whether it found no fault.
func together(t *testing.T, s Subject, streams int, steps int, one, two *rand.Rand) bool {
	sim.Reset(sim.Config{Devices: 1, Capacity: 1 << 30, Schedule: 1 + one.Uint64N(1<<20)})
	sim.CheckHazards()
	var shared []cuda.Stream
	for range streams {
		shared = append(shared, rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking)))
	}
	var done sync.WaitGroup
	for _, r := range []*rand.Rand{one, two} {
		p := &playing{T: t, Subject: s, r: r, streams: shared}
		done.Go(func() {
			for range steps {
				p.step()
			}
			for _, h := range p.held {
				p.give(h)
			}
		})
	}
	done.Wait()
	for _, s := range shared {
		rig.Check(t, "stream close", s.Close())
	}
	s.Pool.Poll() // records a fence for the last frees
	sim.RunAll()
	s.Pool.Poll()
	if st := s.Pool.Stats(); st.Live != 0 || st.Pending != 0 {
		t.Errorf("left over: %+v", st)
	}
	rig.Check(t, "close", s.Pool.Close())
	for _, f := range sim.Findings() {
		t.Error(f)
	}
	return !t.Failed()
}

// shareable returns the pools that several goroutines may use.
func shareable() (all []Subject) {
	for _, s := range Subjects() {
		if s.Name != "own" {
			all = append(all, s)
		}
	}
	return all
}

// Two goroutines share a stream: no memory is handed out before the stream, or another one, is ordered behind its last use.
func TestGoroutinesShareAStream(t *testing.T) {
	for i, s := range shareable() {
		t.Run(s.Name, func(t *testing.T) {
			for seed := range uint64(4) {
				one, two := rand.New(rand.NewPCG(seed, 5)), rand.New(rand.NewPCG(seed, 6))
				if !together(t, shareable()[i], 1+int(seed%2), 150, one, two) {
					t.Logf("seed %d", seed)
					return
				}
			}
		})
	}
}

// FuzzOneStream lets the fuzzer choose the pool, and what each of two goroutines does on one stream.
func FuzzOneStream(f *testing.F) {
	for i := range shareable() {
		r := rand.New(rand.NewPCG(uint64(i), 10))
		one, two := make([]byte, 300), make([]byte, 300)
		for k := range one {
			one[k], two[k] = byte(r.Uint32()), byte(r.Uint32())
		}
		f.Add(byte(i), one, two)
	}
	f.Fuzz(func(t *testing.T, which byte, one, two []byte) {
		list := shareable()
		steps := min(max(len(one), len(two))/3, 200)
		together(t, list[int(which)%len(list)], 1, steps, rand.New(&choices{bytes: one}), rand.New(&choices{bytes: two}))
	})
}

// Two goroutines free each block at the same moment, on one stream or on two: one free succeeds, the other is a double free.
func TestFreedTwiceAtOnce(t *testing.T) {
	rounds := 2000
	if testing.Short() {
		rounds = 300
	}
	for _, s := range shareable() {
		forgets := slices.Contains([]string{"ring", "stage", "direct", "idle", "idle sharded"}, s.Name) // a block that is reclaimed between the two frees
		t.Run(s.Name, func(t *testing.T) {
			rig.Machine(t, sim.Config{Devices: 1, Schedule: 5})
			a, b := rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking)), rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking))
			for round := range rounds {
				block := rig.Must(s.Alloc(1))
				on := []cuda.Stream{a, []cuda.Stream{a, b}[round%2]}
				var good, double atomic.Int32
				var done sync.WaitGroup
				for i := range on {
					done.Go(func() {
						switch err := s.FreeOn(block, on[i]); {
						case err == nil:
							good.Add(1)
						case errors.Is(err, poolrt.ErrDoubleFree) || forgets && errors.Is(err, poolrt.ErrForeign):
							double.Add(1)
						default:
							t.Errorf("free: %v", err)
						}
					})
				}
				done.Wait()
				if good.Load() != 1 || double.Load() != 1 {
					t.Fatalf("round %d: %d frees succeeded, %d were double", round, good.Load(), double.Load())
				}
			}
			rig.Check(t, "close", s.Pool.Close())
			for _, c := range []cuda.Stream{a, b} {
				rig.Check(t, "stream close", c.Close())
			}
		})
	}
}

// ofShards returns the pools whose frees on streams take no lock of the pool.
func ofShards() (all []Subject) {
	for _, s := range Subjects() {
		if strings.Contains(s.Name, "sharded") || strings.Contains(s.Name, "magazines") {
			all = append(all, s)
		}
	}
	return all
}

// pairs allocates and frees on a stream until the pool is closed. It reports each error but that of the limit and those given.
func pairs(t *testing.T, s Subject, on cuda.Stream, over *atomic.Bool, expected ...error) {
	alloc := s.Alloc
	if s.AllocOn != nil {
		alloc = func(n int) (Block, error) { return s.AllocOn(n, on) }
	}
	for i := 0; !over.Load(); i++ {
		b, err := alloc(1 + i%3*100%s.Largest)
		if err == nil {
			err = s.FreeOn(b, on)
		}
		is := func(want error) bool { return errors.Is(err, want) }
		switch {
		case errors.Is(err, poolrt.ErrClosed):
			return
		case err != nil && !errors.Is(err, poolrt.ErrLimit) && !slices.ContainsFunc(expected, is):
			t.Errorf("on a stream: %v", err)
			return
		}
	}
}

// Close among allocations and frees on streams closes the pool or is refused because of live blocks. No block and no fence is lost.
func TestCloseAmongFrees(t *testing.T) {
	for i, s := range ofShards() {
		t.Run(s.Name, func(t *testing.T) {
			for round := range 20 {
				s := ofShards()[i]
				rig.Machine(t, sim.Config{Devices: 1, Schedule: 5})
				on := []cuda.Stream{rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking)), rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking))}
				var over atomic.Bool
				var done sync.WaitGroup
				for k := range 3 {
					done.Go(func() { pairs(t, s, on[k%2], &over) })
				}
				closing := s.Pool.Close
				if round%2 == 1 {
					closing = s.Pool.CloseForce
				}
				for range 100 {
					runtime.Gosched()
					err := closing()
					if err == nil {
						break
					}
					if !errors.Is(err, poolrt.ErrLive) {
						t.Fatalf("close: %v", err)
					}
				}
				over.Store(true)
				done.Wait()
				rig.Check(t, "close", s.Pool.Close())
				if st := s.Pool.Stats(); st.Pending != 0 || st.Reserved != 0 || st.Unreturned != 0 {
					t.Fatalf("left over: %+v", st)
				}
				for _, c := range on {
					rig.Check(t, "stream close", c.Close())
				}
				for _, f := range sim.Findings() {
					t.Error(f)
				}
			}
		})
	}
}

// Reset among allocations and frees on streams empties the pool. What it has freed is free already for those who had it, and is pending nowhere.
func TestResetAmongFrees(t *testing.T) {
	t.Run("heaps", func(t *testing.T) {
		p := new(pools.HeapShardPool)
		resetAmongFrees(t, device("heap sharded", 4<<10, p), p)
	})
	t.Run("slabs", func(t *testing.T) {
		p := new(pools.HeapSlabsPool)
		resetAmongFrees(t, device("slabs and heaps", 4<<10, p), p)
	})
}

func resetAmongFrees(t *testing.T, s Subject, p interface {
	Whole
	Reset() error
}) {
	rig.Machine(t, sim.Config{Devices: 1, Schedule: 5})
	on := []cuda.Stream{rig.Stream(t, 0), rig.Stream(t, 0)}
	var over atomic.Bool
	var done sync.WaitGroup
	for k := range 2 {
		done.Go(func() { pairs(t, s, on[k], &over, poolrt.ErrDoubleFree, poolrt.ErrForeign) })
	}
	for range 300 {
		if err := p.Reset(); err != nil && !errors.Is(err, poolrt.ErrLive) { // blocks are freed on streams all the time
			t.Errorf("reset: %v", err)
		}
		runtime.Gosched()
	}
	over.Store(true)
	done.Wait()
	rig.Check(t, "reset", p.Reset())
	if st := p.Stats(); st.Live != 0 || st.Pending != 0 {
		t.Errorf("left over: %+v", st)
	}
	rig.Check(t, "close", p.Close())
}

// A block that was freed on a stream serves the next request of its bin on the stream, at once and without the driver, and is then freed with the
// length of that request alone.
func TestOtherLengthOfBin(t *testing.T) {
	rig.Machine(t, sim.Config{Devices: 1})
	p := new(pools.HeapSlabsPool)
	on := rig.Stream(t, 0)
	for range 300 { // more often than a line counts
		first := rig.Must(p.AllocOn(1000, on))
		rig.Check(t, "free", p.FreeOn(first, on))
		if err := p.FreeOn(first, on); !errors.Is(err, poolrt.ErrDoubleFree) {
			t.Fatalf("second free: %v", err)
		}
		calls := sim.Calls("cuEventRecord") + sim.Calls("cuEventQuery")
		next := rig.Must(p.AllocOn(900, on))
		if !poolrt.Debug && (next.Addr() != first.Addr() || sim.Calls("cuEventRecord")+sim.Calls("cuEventQuery") != calls) {
			t.Fatalf("900 bytes at %#x, after 1000 bytes at %#x were freed", next.Addr(), first.Addr())
		}
		if err := p.FreeOn(first, on); !errors.Is(err, poolrt.ErrInvalidFree) {
			t.Fatalf("free with the earlier length: %v", err)
		}
		rig.Check(t, "free", p.FreeOn(next, on))
	}
	if st := p.Stats(); st.Live != 0 || st.LiveBytes != 0 || st.Allocs != 600 || st.Pending != 1 && !poolrt.Debug {
		t.Errorf("%+v", st)
	}
	rig.Check(t, "close", p.Close())
}

// Streams come and go while others work: what was freed on those that are gone is reclaimed, and no stream gets their memory too early.
func TestStreamsComeAndGo(t *testing.T) {
	for _, s := range shareable() {
		t.Run(s.Name, func(t *testing.T) {
			rig.Machine(t, sim.Config{Devices: 1, Capacity: 1 << 30, Schedule: 5})
			var done sync.WaitGroup
			for g := range uint64(2) {
				r := rand.New(rand.NewPCG(g, 8))
				done.Go(func() {
					for range 50 {
						p := &playing{T: t, Subject: s, r: r, streams: []cuda.Stream{rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking))}}
						for range 1 + r.IntN(8) {
							p.step()
						}
						for _, h := range p.held {
							p.give(h)
						}
						rig.Check(t, "stream close", p.streams[0].Close())
					}
				})
			}
			done.Wait()
			s.Pool.Poll()
			sim.RunAll()
			s.Pool.Poll()
			if st := s.Pool.Stats(); st.Live != 0 || st.Pending != 0 {
				t.Errorf("left over: %+v", st)
			}
			rig.Check(t, "close", s.Pool.Close())
		})
	}
}

// While a stream may be using memory that is free, other free memory is at hand, also for TryAlloc, which takes no lock. The stream itself can have what it is
// using; others cannot.
func TestFreeBesideInFlight(t *testing.T) {
	if poolrt.Debug {
		t.Skip("blocks stay in the quarantine")
	}
	rig.Machine(t, sim.Config{Devices: 1})
	p := new(pools.HeapSlabsPool)
	on, other := rig.Stream(t, 0), rig.Stream(t, 0)
	beside := rig.Must(p.Alloc(1000))
	used := rig.Must(p.AllocOn(100<<10, on))
	rig.Check(t, "work", cuda.MemsetAsync(used.Addr(), 1, 100<<10, on))
	rig.Check(t, "free on the stream", p.FreeOn(used, on))
	whole := rig.Must(p.AllocOn(250<<10, on)) // before the pool grows for it, all that the stream has freed is put in flight
	rig.Check(t, "free", p.Free(beside))
	again, ok := p.TryAlloc(1000)
	if !ok || again.Addr() != beside.Addr() {
		t.Errorf("a block that no stream uses: %v, at %#x instead of %#x", ok, again.Addr(), beside.Addr())
	}
	if b, ok := p.TryAlloc(200 << 10); ok && b.Addr() <= used.Addr() && used.Addr() < b.Addr()+200<<10 {
		t.Errorf("memory that a stream uses: %#x", b.Addr())
	}
	records := sim.Calls("cuStreamWaitEvent")
	if b := rig.Must(p.AllocOn(100<<10, on)); b.Addr() != used.Addr() {
		t.Errorf("the stream gets %#x instead of what it has freed, %#x", b.Addr(), used.Addr())
	}
	_ = rig.Must(p.AllocOn(100<<10, other))
	if sim.Calls("cuStreamWaitEvent") != records {
		t.Error("a stream waits for another one while there is free memory")
	}
	_ = whole
	rig.Check(t, "close", p.CloseForce())
}
