//go:build cudasim

package streams

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
)

// Whatever a program does, no stream gets memory that another may still be using, and nothing is left over at the end.
func TestOrder(t *testing.T) {
	for _, s := range subjects() {
		t.Run(s.name, func(t *testing.T) {
			for seed := range uint64(30) {
				for _, again := range subjects() {
					if again.name == s.name && !play(t, again, seed) {
						return
					}
				}
			}
		})
	}
}

// playing is a program under way.
type playing struct {
	*testing.T
	subject
	r       *rand.Rand
	streams []cuda.Stream
	held    []held
}

// held is a block in use, by a stream or by the program.
type held struct {
	block
	on     cuda.Stream
	queued bool
}

func (h held) order() sim.Order {
	if h.queued {
		return sim.On(h.on)
	}
	return sim.Host()
}

// play runs a random program against a pool. It reports whether all was well.
func play(t *testing.T, s subject, seed uint64) bool {
	sim.Reset(sim.Config{Devices: 1, Capacity: 1 << 30, Schedule: seed + 1})
	sim.CheckHazards()
	p := &playing{T: t, subject: s, r: rand.New(rand.NewPCG(seed, 3))}
	for range 3 {
		p.streams = append(p.streams, must(t, must2(cuda.Device(0).NewStream(cuda.NonBlocking)), nil))
	}
	for range 300 {
		p.step()
	}
	for _, h := range p.held {
		p.give(h)
	}
	for _, s := range p.streams {
		check(t, "stream close", s.Close())
	}
	check(t, "close", s.pool.Close())
	for _, h := range sim.Hazards() {
		t.Errorf("seed %d: %v", seed, h)
	}
	for _, l := range append(sim.Leaks(), sim.BadReleases()...) {
		t.Errorf("seed %d: %s", seed, l)
	}
	return !t.Failed()
}

func must2[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// step does one thing at random.
func (p *playing) step() {
	n := 1 + p.r.IntN(p.largest)
	s := p.streams[p.r.IntN(len(p.streams))]
	switch k := p.r.IntN(12); {
	case k < 4 && p.allocOn != nil:
		if b, err := p.allocOn(n, s); err == nil {
			p.take(held{b, s, true})
		}
	case k < 5:
		if b, err := p.alloc(n); err == nil {
			p.take(held{b, s, p.r.IntN(2) == 0})
		}
	case k < 10 && len(p.held) > 0:
		i := p.r.IntN(len(p.held))
		h := p.held[i]
		p.held = append(p.held[:i], p.held[i+1:]...)
		p.give(h)
	case k == 10:
		p.pool.Poll()
	default:
		_ = must(p.T, must2(p.pool.Trim(int64(p.r.IntN(1<<20)))), nil)
	}
}

// take notes a block that was handed out, and works with it.
func (p *playing) take(h held) {
	check(p.T, "hand out", sim.HandOut(h.addr, h.bytes, h.order()))
	if h.queued {
		check(p.T, "memset", cuda.MemsetAsync(h.addr, 1, h.bytes, h.on))
	}
	p.held = append(p.held, h)
}

// give frees a block.
func (p *playing) give(h held) {
	check(p.T, "take back", sim.TakeBack(h.addr, h.bytes, h.order()))
	if h.queued {
		check(p.T, "free on", p.freeOn(h.block, h.on))
	} else {
		check(p.T, "free", p.free(h.block))
	}
}

// A pair on one stream asks nothing of the driver.
func TestSameStream(t *testing.T) {
	for _, s := range subjects() {
		if s.allocOn == nil {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			sim.Reset(sim.Config{Devices: 1})
			on := must2(cuda.Device(0).NewStream(cuda.NonBlocking))
			b := must2(s.allocOn(1000, on))
			check(t, "work", cuda.MemsetAsync(b.addr, 1, b.bytes, on))
			check(t, "free", s.freeOn(b, on))
			before := calls()
			for range 1000 {
				b := must2(s.allocOn(1000, on))
				check(t, "free", s.freeOn(b, on))
			}
			if after := calls(); after != before {
				t.Errorf("%d calls of the driver for 1000 pairs", after-before)
			}
			sim.RunAll()
			if n := s.pool.Poll(); n != 1 {
				t.Errorf("Poll retired %d frees, want 1", n)
			}
			check(t, "close", s.pool.Close())
			check(t, "stream", on.Close())
			for _, l := range sim.Leaks() {
				t.Error(l)
			}
		})
	}
}

// calls counts what a pool could ask of the driver.
func calls() (n int) {
	for _, f := range []string{"cuEventRecord", "cuEventQuery", "cuEventCreate", "cuStreamWaitEvent", "cuStreamGetId", "cuStreamQuery", "cuStreamIsCapturing",
		"cuMemAlloc", "cuMemFree", "cuMemHostAlloc", "cuMemFreeHost", "cuMemAllocFromPoolAsync", "cuMemFreeAsync", "cuMemMap", "cuMemUnmap", "cuMemCreate", "cuCtxSetCurrent"} {
		n += sim.Calls(f)
	}
	return n
}

// What a stream freed is its own at once in any shape, though the stream has come nowhere.
func TestOwnMemoryAtTheLimit(t *testing.T) {
	sim.Reset(sim.Config{Devices: 1}) // streams stand still
	p := new(HeapPool)
	s, other := must2(cuda.Device(0).NewStream()), must2(cuda.Device(0).NewStream())
	var all []HeapSpan
	for range 8 {
		b := must2(p.AllocOn(64<<10, s))
		check(t, "work", cuda.MemsetAsync(b.Addr(), 1, b.Bytes(), s))
		all = append(all, b)
	}
	for _, b := range all {
		check(t, "free", p.FreeOn(b, s))
	}
	for range 16 {
		if _, err := p.AllocOn(32<<10, s); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Alloc(100); err == nil {
		t.Error("a plain allocation got memory that a stream is at work with")
	}
	if _, err := p.AllocOn(100, other); err == nil {
		t.Error("there should be nothing left")
	}
	fmt.Fprint(t.Output(), p.Stats())
}
