package sharded

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Goroutines allocate, write, pass on, verify and free, alone and in batches, while others trim and count: blocks keep their contents.
func TestFixedOwners(t *testing.T) {
	eachItem(t, fixedOwners, fixedOwners, fixedOwners, fixedOwners, fixedOwners, fixedOwners)
}

func fixedOwners[R comparable](t *testing.T, test itemTest[R]) {
	p := test.make(t)
	handed := make(chan R, 64)
	var workers sync.WaitGroup
	for id := range byte(8) {
		workers.Go(func() {
			w := worker[R]{t: t, p: p, test: test, r: rand.New(rand.NewPCG(uint64(id), 1)), handed: handed, most: test.blocks / 7}
			w.work(3000)
		})
	}
	workers.Wait()
	close(handed)
	for b := range handed {
		check(t, "free", p.Free(b))
	}
	s := p.Stats()
	if s.Live != 0 || s.LiveBytes != 0 || s.Allocs != s.Frees || !test.uncounted && (s.Allocs == 0 || s.PeakBytes == 0) {
		t.Errorf("%+v", s)
	}
	if most := runtime.GOMAXPROCS(0) * test.magazine; s.Cached > int64(most)*s.Limit/int64(test.blocks) {
		t.Errorf("%+v, want at most %d blocks cached", s, most)
	}
	t.Logf("%+v", s)
	check(t, "close", p.Close())
}

// worker is one goroutine among several.
type worker[R comparable] struct {
	t      *testing.T
	p      itemPool[R]
	test   itemTest[R]
	r      *rand.Rand
	held   []R
	handed chan R
	most   int // blocks held at a time
}

func (w *worker[R]) keep(b R, err error) {
	if err != nil {
		if !errors.Is(err, poolrt.ErrLimit) {
			w.t.Error(err)
		}
		return
	}
	w.test.write(b, 7)
	w.held = append(w.held, b)
}

// drop verifies blocks and frees them.
func (w *worker[R]) drop(refs ...R) {
	for _, b := range refs {
		if got := w.test.read(b); got != 7 {
			w.t.Errorf("%v has %d", b, got)
		}
		w.test.write(b, 0)
	}
	if len(refs) == 1 {
		if err := w.p.Free(refs[0]); err != nil {
			w.t.Error(err)
		}
	} else if err := w.p.FreeBatch(refs); err != nil {
		w.t.Error(err)
	}
}

func (w *worker[R]) work(steps int) {
	for range steps {
		switch k := w.r.IntN(12); {
		case k < 4:
			w.keep(w.p.Alloc())
		case k < 5:
			batch := make([]R, w.r.IntN(150))
			if n, err := w.p.AllocBatch(batch); err == nil {
				for _, b := range batch[:n] {
					w.keep(b, nil)
				}
			} else if !errors.Is(err, poolrt.ErrLimit) {
				w.t.Error(err)
			}
		case k < 8 && len(w.held) > 0:
			w.drop(w.held[0])
			w.held = w.held[1:]
		case k < 9 && len(w.held) > 0:
			select {
			case w.handed <- w.held[0]:
				w.held = w.held[1:]
			default:
			}
		case k < 10:
			select {
			case b := <-w.handed:
				w.drop(b)
			default:
			}
		case k < 11:
			if err := w.p.With(func(b R) error { w.test.write(b, 7); w.test.write(b, 0); return nil }); err != nil && !errors.Is(err, poolrt.ErrLimit) {
				w.t.Error(err)
			}
		default:
			if w.r.IntN(20) == 0 {
				if _, err := w.p.Trim(0); err != nil {
					w.t.Error(err)
				}
			}
			if s := w.p.Stats(); s.Live < 0 || s.Live > int64(w.test.blocks) || s.Frees < 0 && !w.test.uncounted {
				w.t.Errorf("%+v", s)
			}
		}
		if len(w.held) > w.most {
			w.drop(w.held[w.most/2:]...)
			w.held = w.held[:w.most/2]
		}
	}
	w.drop(w.held...)
}
