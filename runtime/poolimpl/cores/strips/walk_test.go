package strips

import (
	"sync"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// checkWalk compares what is shown of the chunks: every block lies in a live piece, and nothing of it in another.
func (m *model) checkWalk() {
	m.t.Helper()
	live := uint64(0)
	for slot, s := range m.chunks {
		at := uint64(0)
		pieces := poolimpl.Survey(m.c, slot, s.size, 1+len(m.live)%3)
		for _, p := range pieces {
			if p.Off != at || p.Size == 0 {
				m.t.Fatalf("chunk %d: %+v at %d", slot, p, at)
			}
			at += p.Size
			if p.State == poolrt.PieceLive {
				live += p.Size
			}
			for _, b := range m.live {
				off := b.at - s.base
				if b.slot == slot && off < at && p.Off < off+b.bytes && p.State != poolrt.PieceLive {
					m.t.Fatalf("chunk %d: %+v, and %+v is live", slot, p, b)
				}
			}
		}
		if at != s.size {
			m.t.Fatalf("chunk %d: up to %d of %d", slot, at, s.size)
		}
	}
	if want := m.c.Usage().Occupied; live != want {
		m.t.Fatalf("%d bytes live, want %d", live, want)
	}
}

// Chunks can be walked while others take blocks and reset.
func TestWalkWhileOthersWork(t *testing.T) {
	size := 1 << 12 * granule
	c := with(procStrips)
	c.Add(0, 0, size)
	var all sync.WaitGroup
	done := make(chan struct{})
	for id := range 3 {
		all.Go(func() {
			for k := range 20_000 {
				if _, _, ok := c.Alloc(uint64(1+k%50), 1); !ok && id == 0 {
					c.Reset()
				}
			}
		})
	}
	go func() { all.Wait(); close(done) }()
	for more := true; more; {
		select {
		case <-done:
			more = false
		default:
		}
		at := uint64(0)
		for _, p := range poolimpl.Survey(c, 0, size, 3) {
			if p.Off != at {
				t.Fatalf("%+v at %d", p, at)
			}
			at += p.Size
		}
		if at != size {
			t.Fatalf("up to %d of %d", at, size)
		}
	}
}
