package faults

import (
	"errors"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// errHook is what the event hook of this test panics with.
var errHook = errors.New("the hook panics")

// calmed is a pool whose calls return after a panic of the event hook. An allocation then returns errHook. Other calls have done their work.
type calmed struct{ whole }

func (c calmed) Trim(keep int64) (released int64, err error) {
	defer calm(nil)
	return c.whole.Trim(keep)
}

// calm ends a panic of the event hook, with an error unless it is nil.
func calm(err *error) {
	switch v := recover(); {
	case v == nil:
	case v != any(errHook):
		panic(v)
	case err != nil:
		*err = errHook
	}
}

// calmed makes the calls of a subject return after a panic of the event hook.
func (s subject) calmed() subject {
	alloc, free, reset := s.alloc, s.free, s.reset
	s.whole = calmed{s.whole}
	s.alloc = func(n int) (b []byte, err error) {
		live := s.Stats().Live
		defer func() {
			if free == nil && err == errHook && s.Stats().Live > live { // the block stays until Reset, and this stands for it
				b, err = make([]byte, n), nil
			}
		}()
		defer calm(&err)
		return alloc(n)
	}
	if free != nil {
		s.free = func(b []byte) error {
			defer calm(nil)
			return free(b)
		}
	}
	if reset != nil {
		s.reset = func() error {
			defer calm(nil)
			return reset()
		}
	}
	return s
}

// TestEachHookPanics makes an event hook panic at each event in turn, in every pool, while the source works and while some of its calls fail. No block is lost.
func TestEachHookPanics(t *testing.T) {
	for _, name := range names {
		for _, failing := range []int{0, 2} {
			panics := rig.EachCall(func(nth int) bool {
				p := begin(t, name)
				p.subject = p.subject.calmed()
				memory.fail(failing, failing)
				n := 0
				stop := poolrt.OnEvent(func(poolrt.Event) {
					if n++; n == nth {
						panic(errHook)
					}
				})
				p.program()
				stop()
				p.end()
				return n >= nth
			})
			if panics < 4 {
				t.Errorf("%s: %d events", name, panics)
			}
		}
	}
}
