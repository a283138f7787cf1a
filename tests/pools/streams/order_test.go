//go:build cudasim

package streams

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
	"github.com/poolgen/poolgen/tests/pools/streams/pools"
)

// byDriver reports whether the driver orders each block.
func (s Subject) byDriver() bool { return strings.HasPrefix(s.Name, "driver") }

// In random programs, no stream gets memory that another may still be using, and no memory is left at the end. Pools that reuse memory before
// its stream has passed make streams wait for each other; if the first programs did not show that, some more are run. Where each block is an allocation of the
// driver, the pool itself makes no stream wait.
func TestOrder(t *testing.T) {
	seeds := uint64(30)
	if testing.Short() {
		seeds = 8
	}
	for i, s := range Subjects() {
		t.Run(s.Name, func(t *testing.T) {
			waits, can := 0, s.AllocOn != nil && s.Name != "direct" && !s.byDriver()
			for seed := uint64(0); seed < seeds || can && waits == 0 && seed < 60; seed++ {
				if !play(t, Subjects()[i], rand.New(rand.NewPCG(seed, 3)), 15*stretch) {
					t.Logf("seed %d", seed)
					return
				}
				waits += sim.Calls("cuStreamWaitEvent")
			}
			if (waits > 0) != can {
				t.Errorf("streams were made to wait %d times", waits)
			}
		})
	}
}

// playing is a running program.
type playing struct {
	*testing.T
	Subject
	r       *rand.Rand
	streams []cuda.Stream
	held    []held
}

// held is a block in use, by a stream or by the program.
type held struct {
	Block
	on     cuda.Stream
	queued bool
}

func (h held) order() sim.Order {
	if h.queued {
		return sim.On(h.on)
	}
	return sim.Host()
}

// stretch is the number of steps during which streams do not advance, or run by a schedule.
const stretch = 20

// play runs a random program of some steps on a pool. It reports whether it found no fault.
func play(t *testing.T, s Subject, r *rand.Rand, steps int) bool {
	sim.Reset(sim.Config{Devices: 1, Capacity: 1 << 30})
	sim.CheckHazards()
	p := &playing{T: t, Subject: s, r: r}
	for range 3 {
		p.streams = append(p.streams, rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking)))
	}
	for i := range steps {
		if i%stretch == 0 {
			sim.Schedule(p.r.Uint64N(2) * p.r.Uint64()) // with a schedule alone, streams would never lag behind the program
		}
		p.step()
	}
	for _, h := range p.held {
		p.give(h)
	}
	for _, s := range p.streams {
		rig.Check(t, "stream close", s.Close())
	}
	s.Pool.Poll() // records a fence for the last frees
	sim.RunAll()
	s.Pool.Poll()
	_ = rig.Must(s.Pool.Trim(0))
	if st := s.Pool.Stats(); st.Live != 0 || st.Pending != 0 || st.Reserved != 0 {
		t.Errorf("left over: %+v", st)
	}
	rig.Check(t, "close", s.Pool.Close())
	for _, f := range sim.Findings() {
		t.Error(f)
	}
	return !t.Failed()
}

// step does one random operation.
func (p *playing) step() {
	n := 1 + p.r.IntN(p.Largest)
	s := p.streams[p.r.IntN(len(p.streams))]
	switch k := p.r.IntN(12); {
	case k < 4 && p.AllocOn != nil:
		if b, err := p.AllocOn(n, s); err == nil {
			p.take(held{b, s, true})
		}
	case k < 5:
		if b, err := p.Alloc(n); err == nil {
			p.take(held{b, s, p.r.IntN(2) == 0})
		}
	case k < 10 && len(p.held) > 0:
		i := p.r.IntN(len(p.held))
		h := p.held[i]
		p.held = append(p.held[:i], p.held[i+1:]...)
		p.give(h)
	case k == 10:
		p.Pool.Poll()
	default:
		_ = rig.Must(p.Pool.Trim(int64(p.r.IntN(1 << 20))))
	}
}

// take records a block that was handed out, and queues work with it.
func (p *playing) take(h held) {
	rig.Check(p.T, "hand out", sim.HandOut(h.Addr, h.Bytes, h.order()))
	if h.queued {
		rig.Check(p.T, "memset", cuda.MemsetAsync(h.Addr, 1, h.Bytes, h.on))
	}
	p.held = append(p.held, h)
}

// give frees a block.
func (p *playing) give(h held) {
	rig.Check(p.T, "take back", sim.TakeBack(h.Addr, h.Bytes, h.order()))
	if h.queued {
		rig.Check(p.T, "free on", p.FreeOn(h.Block, h.on))
	} else {
		rig.Check(p.T, "free", p.Free(h.Block))
	}
}

// An allocation and its free on one stream do not call the driver. If the driver orders each block, both call it once, and nothing is pending.
func TestSameStream(t *testing.T) {
	for _, s := range Subjects() {
		if s.AllocOn == nil {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			rig.Machine(t, sim.Config{Devices: 1})
			on := rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking))
			b := rig.Must(s.AllocOn(1000, on))
			rig.Check(t, "work", cuda.MemsetAsync(b.Addr, 1, b.Bytes, on))
			rig.Check(t, "free", s.FreeOn(b, on))
			want, pending := 0, 1
			if s.byDriver() {
				want, pending = 2000, 0
			}
			before := calls()
			for range 1000 {
				b := rig.Must(s.AllocOn(1000, on))
				rig.Check(t, "free", s.FreeOn(b, on))
			}
			if after := calls(); after-before != want && !poolrt.Debug { // which has the stream fill the blocks
				t.Errorf("%d calls of the driver for 1000 pairs, want %d", after-before, want)
			}
			if n := s.Pool.Poll(); n != 0 {
				t.Errorf("Poll reclaimed %d frees of a stream that has not advanced", n)
			}
			sim.RunAll()
			if n := s.Pool.Poll(); n != pending {
				t.Errorf("Poll reclaimed %d frees, want %d", n, pending)
			}
			rig.Check(t, "close", s.Pool.Close())
			rig.Check(t, "stream", on.Close())
		})
	}
}

// calls counts the calls of the driver that a pool could make.
func calls() (n int) {
	for _, f := range []string{"cuEventRecord", "cuEventQuery", "cuEventCreate", "cuStreamWaitEvent", "cuStreamGetId", "cuStreamQuery", "cuStreamIsCapturing",
		"cuMemAlloc", "cuMemFree", "cuMemHostAlloc", "cuMemFreeHost", "cuMemAllocAsync", "cuMemAllocFromPoolAsync", "cuMemFreeAsync", "cuMemMap", "cuMemUnmap", "cuMemCreate",
		"cuCtxSetCurrent"} {
		n += sim.Calls(f)
	}
	return n
}

// A stream can reuse its own frees at once in blocks of any size, even if it has not advanced.
func TestOwnMemoryAtTheLimit(t *testing.T) {
	sim.Reset(sim.Config{Devices: 1}) // streams do not advance
	p := new(pools.HeapPool)
	s, other := rig.Must(cuda.Device(0).NewStream()), rig.Must(cuda.Device(0).NewStream())
	var all []pools.HeapSpan
	for range 8 {
		b := rig.Must(p.AllocOn(64<<10, s))
		rig.Check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), s))
		all = append(all, b)
	}
	for _, b := range all {
		rig.Check(t, "free", p.FreeOn(b, s))
	}
	for range 16 {
		if _, err := p.AllocOn(32<<10, s); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Alloc(100); err == nil {
		t.Error("an allocation without a stream got memory that a stream uses")
	}
	if _, err := p.AllocOn(100, other); err == nil {
		t.Error("an allocation from a full pool succeeded")
	}
	sim.RunAll()
	rig.Check(t, "close", p.CloseForce())
}

// A Ref keeps the stream: its release is a free on the stream, once.
func TestReleaseFreesOnTheStream(t *testing.T) {
	sim.Reset(sim.Config{Devices: 1})
	p, s := new(pools.HeapPool), rig.Must(cuda.Device(0).NewStream())
	r := rig.Must(p.AllocRefOn(1000, s))
	rig.Check(t, "work", cuda.MemsetAsync(r.Get().Addr(), 1, 1000, s))
	rig.Check(t, "release", r.Release())
	if st := p.Stats(); st.Pending != 1 || st.Live != 0 {
		t.Errorf("after the release: %+v", st)
	}
	if err := r.Release(); !errors.Is(err, poolrt.ErrDoubleFree) {
		t.Errorf("second release: %v", err)
	}
	sim.RunAll()
	rig.Check(t, "close", p.Close())
}
