package simulator

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

const (
	programStreams = 5 // the last one is the legacy default stream, the one before it is ordered with it
	programBytes   = 64
)

// program is a random program over some bytes of device memory. It makes the same calls each time it runs with the same seed.
type program struct {
	random  *rand.Rand
	careful float64 // how often a conflict that needs a wait gets one
	touched [programBytes]struct {
		writer  int
		readers uint
	}
}

// run executes a program under a schedule, and also executes the calls in their order on plain bytes. It returns the memory at the end,
// the expected memory, and the findings of the checker.
func (p *program) run(t testing.TB, schedule uint64) (got, want []byte, found []Hazard) {
	r := newRig(t, Config{Hazards: true, Schedule: schedule, Fill: -1})
	blocking, result := r.StreamCreate(r.ctx, abi.StreamDefault, 0)
	r.ok(result)
	streams := []abi.Stream{r.stream(), r.stream(), r.stream(), blocking, 0}
	memory, want := r.alloc(programBytes), make([]byte, programBytes)
	events := map[int]abi.Event{}
	for i := range p.touched {
		p.touched[i].writer = -1
	}
	for range 60 {
		i := p.random.IntN(programStreams)
		s := streams[i]
		from, to, n := p.random.IntN(programBytes), p.random.IntN(programBytes), 1+p.random.IntN(8)
		n = min(n, programBytes-from, programBytes-to)
		switch p.random.IntN(8) {
		case 0:
			e := r.event()
			r.ok(r.EventRecord(r.ctx, e, s))
			r.ok(r.EventSynchronize(r.ctx, e))
			r.ok(r.EventDestroy(r.ctx, e))
		case 1:
			_ = r.StreamQuery(r.ctx, s)
		case 2, 3, 4:
			p.order(r, streams, events, i, to, n, true)
			value := byte(p.random.IntN(256))
			r.set(memory+abi.Ptr(to), value, uint64(n), s)
			for k := range n {
				want[to+k] = value
			}
		default:
			if from < to+n && to < from+n {
				continue // a copy over itself has no meaning
			}
			p.order(r, streams, events, i, from, n, false)
			p.order(r, streams, events, i, to, n, true)
			r.ok(r.MemcpyDtoDAsync(r.ctx, memory+abi.Ptr(to), memory+abi.Ptr(from), uint64(n), s))
			copy(want[to:to+n], want[from:from+n])
		}
	}
	r.ok(r.CtxSynchronize(r.ctx))
	return r.peek(memory, programBytes), want, r.Hazards()
}

// order makes stream i wait for the streams that used bytes before it, with the probability careful.
func (p *program) order(r *rig, streams []abi.Stream, events map[int]abi.Event, i, at, n int, write bool) {
	before := uint(0)
	for k := at; k < at+n; k++ {
		if w := p.touched[k].writer; w >= 0 {
			before |= 1 << w
		}
		if write {
			before |= p.touched[k].readers
			p.touched[k].writer, p.touched[k].readers = i, 0
		} else {
			p.touched[k].readers |= 1 << i
		}
	}
	for other := range programStreams {
		implicit := other >= programStreams-2 && i >= programStreams-2 // the default stream's own rule
		if before&(1<<other) == 0 || other == i || implicit || p.random.Float64() >= p.careful {
			continue
		}
		if events[other] == 0 {
			events[other] = r.event()
		}
		r.ok(r.EventRecord(r.ctx, events[other], streams[other]))
		r.ok(r.StreamWaitEvent(r.ctx, streams[i], events[other]))
	}
}

// check runs a program under some schedules. If the checker finds nothing, memory must be as if the calls had done their work at once.
// check reports whether the checker found nothing.
func check(t testing.TB, seed uint64, careful float64) (silent, differs bool) {
	for schedule := range uint64(6) {
		p := &program{random: rand.New(rand.NewPCG(seed, 3)), careful: careful}
		got, want, found := p.run(t, schedule)
		silent = len(found) == 0
		same := bytes.Equal(got, want)
		differs = differs || !same
		if silent && !same {
			t.Fatalf("seed %d, schedule %d: silent, but\n% x, want\n% x", seed, schedule, got, want)
		}
		if careful == 1 && !silent {
			t.Fatalf("seed %d, schedule %d: all is ordered, but %s", seed, schedule, found[0])
		}
	}
	return silent, differs
}

func TestProgramsRunAsOrdered(t *testing.T) {
	for _, careful := range []float64{1, 0.9, 0.3} {
		silent, differ := 0, 0
		for seed := range uint64(100) {
			quiet, different := check(t, seed, careful)
			if quiet {
				silent++
			}
			if different {
				differ++
			}
		}
		t.Logf("careful %v: %d silent, %d come out differently", careful, silent, differ)
		if careful == 0.3 && differ == 0 {
			t.Error("schedules make no difference")
		}
	}
}

func FuzzPrograms(f *testing.F) {
	f.Add(uint64(1), uint8(255))
	f.Add(uint64(2), uint8(240))
	f.Fuzz(func(t *testing.T, seed uint64, careful uint8) { check(t, seed, float64(careful)/255) })
}

// All methods may be called from several goroutines at once.
func TestConcurrentUse(t *testing.T) {
	r := newRig(t, Config{Schedule: 1})
	done := make(chan error)
	for range 4 {
		go func() {
			done <- func() error {
				for range 100 {
					s, result := r.StreamCreate(r.ctx, 0, 0)
					if result != abi.Success {
						return fmt.Errorf("create: %d", result)
					}
					p, result := r.MemAllocAsync(r.ctx, 5000, s)
					if result != abi.Success {
						return fmt.Errorf("alloc: %d", result)
					}
					r.MemsetD8Async(r.ctx, p, 1, 5000, s)
					r.MemFreeAsync(r.ctx, p, s)
					if result := r.StreamSynchronize(r.ctx, s); result != abi.Success {
						return fmt.Errorf("synchronize: %d", result)
					}
					r.StreamDestroy(r.ctx, s)
				}
				return nil
			}()
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if live := r.Live(); len(live) != 0 {
		t.Error(live)
	}
}
