//go:build !cudasim

package gpu

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/tests/pools/streams"
)

// Each block belongs to the stream that uses it until that stream has passed its free, whatever other goroutines do, and the
// device has as much free memory afterwards as before.
func TestOrder(t *testing.T) {
	for _, s := range streams.Subjects() {
		t.Run(s.Name, func(t *testing.T) {
			l := newLab(t, 0)
			goroutines := 4
			if s.Name == "own" {
				goroutines = 1
			}
			var workers []*worker
			for g := range goroutines {
				workers = append(workers, &worker{lab: l, Subject: s, r: rand.New(rand.NewPCG(uint64(g), 9)), on: l.streams(3)})
			}
			for _, w := range workers { // the first round warms the driver up
				w.run(10)
			}
			l.ok("synchronize", l.device.Synchronize())
			s.Pool.Poll()
			_, err := s.Pool.Trim(0)
			l.ok("trim", err)
			before, _, err := l.device.MemInfo()
			l.ok("mem info", err)

			var done sync.WaitGroup
			for _, w := range workers {
				done.Go(func() { w.run(steps()) })
			}
			done.Wait()
			l.ok("synchronize", l.device.Synchronize())
			s.Pool.Poll()
			if st := s.Pool.Stats(); st.Live != 0 || st.Pending != 0 {
				t.Errorf("%+v", st)
			}
			l.ok("close", s.Pool.Close())
			after, _, err := l.device.MemInfo()
			l.ok("mem info", err)
			if after < before {
				t.Errorf("%d bytes free, %d before", after, before)
			}
		})
	}
}

func steps() int {
	if testing.Short() {
		return 100
	}
	return 3000
}

// worker is one goroutine with streams of its own.
type worker struct {
	*lab
	streams.Subject
	r    *rand.Rand
	on   []cuda.Stream
	held []owned
}

// owned is a block with the value that was written to it.
type owned struct {
	streams.Block
	value byte
	on    cuda.Stream
}

func (w *worker) run(steps int) {
	for i := range steps {
		if len(w.held) < 12 && w.r.IntN(2) == 0 {
			w.take(byte(i))
		} else if len(w.held) > 0 {
			w.give(w.r.IntN(len(w.held)))
		}
	}
	for len(w.held) > 0 {
		w.give(0)
	}
}

func (w *worker) take(value byte) {
	s := w.on[w.r.IntN(len(w.on))]
	n := 1 + w.r.IntN(w.Largest)
	var b streams.Block
	var err error
	if w.AllocOn != nil && w.r.IntN(4) > 0 {
		b, err = w.AllocOn(n, s)
	} else {
		b, err = w.Alloc(n)
	}
	if err != nil {
		return // at the limit
	}
	w.write(b.Addr, b.Bytes, value, s)
	w.held = append(w.held, owned{b, value, s})
}

// give verifies a block and frees it, on its stream or after a wait for the stream.
func (w *worker) give(i int) {
	o := w.held[i]
	w.held = append(w.held[:i], w.held[i+1:]...)
	w.expect(o.Addr, o.Bytes, o.value, o.on)
	if w.r.IntN(8) > 0 {
		w.ok("free on", w.FreeOn(o.Block, o.on))
		return
	}
	w.ok("synchronize", o.on.Synchronize())
	w.ok("free", w.Free(o.Block))
}
