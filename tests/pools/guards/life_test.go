package guards

import (
	"errors"
	"sync"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Reset frees guarded blocks, too, in pools that have it.
func TestReset(t *testing.T) {
	each(t, all(), func(t *testing.T, p form) {
		whole, ok := p.whole.(interface{ Reset() error })
		if !ok {
			return
		}
		b := planted(t, p, p.ways[0])
		check(t, "reset", whole.Reset())
		if s := p.Stats(); s.Live != 0 || s.Guarded != 0 {
			t.Errorf("%v", s)
		}
		reported(t, touch(b, 0, true), poolrt.ErrFault, "is byte 0 of a guarded block that was freed", "guards.planted", "freed", "Reset")
		reported(t, release(p, b), poolrt.ErrDoubleFree, "guards.planted")
		b = planted(t, p, p.ways[0])
		if n := p.Stats().Guarded; n != 1 {
			t.Errorf("%d blocks are guarded after the reset", n)
		}
		check(t, "free", p.free(b))
	})
}

// A batch that fails leaves nothing, whichever of its blocks were guarded.
func TestFailedBatch(t *testing.T) {
	each(t, all(), func(t *testing.T, p form) {
		if p.batch == nil {
			return
		}
		first := p.take(t)
		before := p.Stats()
		if _, err := p.batch(1 << 16); !errors.Is(err, poolrt.ErrLimit) {
			t.Errorf("batch: %v", err)
		}
		if s := p.Stats(); s.Live != 1 || s.Guarded != 1 || s.Allocs != before.Allocs || s.Frees != before.Frees || s.Failures != before.Failures+1 {
			t.Errorf("after a failed batch %v, before it %v", s, before)
		}
		check(t, "free", p.free(first))
	})
}

// CloseForce takes the memory of live blocks, guarded or not.
func TestCloseForce(t *testing.T) {
	each(t, all(), func(t *testing.T, p form) {
		b := p.take(t)
		check(t, "close", p.CloseForce())
		if err := p.free(b); !errors.Is(err, poolrt.ErrClosed) {
			t.Errorf("free: %v", err)
		}
	})
}

// Goroutines that use a pool at once get blocks of their own, whatever is guarded.
func TestManyGoroutines(t *testing.T) {
	each(t, append(all(), some()...), func(t *testing.T, p form) {
		if p.name == "none" || p.name == "heap none" || p.name == "binned none" || p.name == "classes none" {
			return
		}
		var group sync.WaitGroup
		for g := range 4 {
			group.Go(func() {
				var blocks [][]byte
				for i := range 2000 {
					b, err := p.ways[i%len(p.ways)].call()
					if err != nil && !errors.Is(err, errNone) {
						t.Error(err)
						return
					}
					if err == nil {
						b[0], b[size-1] = byte(g), byte(i)
						blocks = append(blocks, b)
					}
					if len(blocks) > 30 || i%7 == 0 && len(blocks) > 0 {
						first := blocks[0]
						if blocks = blocks[1:]; first[0] != byte(g) {
							t.Error("two goroutines have a block")
						}
						if err := p.free(first); err != nil {
							t.Error(err)
						}
					}
				}
				for _, b := range blocks {
					if err := p.free(b); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
		if s := p.Stats(); s.Live != 0 || s.Guarded != 0 {
			t.Errorf("%v", s)
		}
	})
}
