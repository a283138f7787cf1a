package heap

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// reset frees all blocks of the model at once. None may be pending.
func (m *model) reset(*rand.Rand) {
	m.t.Helper()
	m.core.Reset()
	for _, a := range m.areas {
		m.old = append(m.old, a.blocks...)
		a.blocks = nil
	}
	m.live, m.bytes = 0, 0
	for _, b := range m.old {
		m.again(b)
	}
}

// A heap that is reset again and again works as one that is not.
func TestLongRunsReset(t *testing.T) {
	for seed := range uint64(12) {
		run(t, script(400+seed, 600), (*model).reset)
	}
}

// After Reset each chunk is one range, and blocks from before are not live.
func TestReset(t *testing.T) {
	m := newModel(t)
	m.core.Reset() // there is no chunk
	m.check()
	m.add(0, 1<<40, 256*granule)
	m.add(1, 1<<41, 64*granule)
	for turn := range 3 {
		for k := range uint64(20) {
			m.alloc((k+1)*granule/2, 1)
		}
		m.reset(nil)
		m.check()
		for _, size := range []uint64{256, 64} {
			if b, ok := m.alloc(size*granule, 1); !ok {
				t.Fatalf("turn %d: a chunk of %d granules is not one range", turn, size)
			} else if turn == 1 {
				m.free(b)
			}
		}
		m.reset(nil)
	}
	if u := m.core.Usage(); u.Live != 0 || u.LiveBytes != 0 || u.Occupied != 0 {
		t.Errorf("%+v", u)
	}
}

// BenchmarkReset compares Reset with as many frees, in nanoseconds for all blocks.
func BenchmarkReset(b *testing.B) {
	for _, blocks := range []int{2000, 100_000} {
		for _, how := range []string{"free", "reset"} {
			b.Run(fmt.Sprint(how, "/", blocks), func(b *testing.B) {
				const base = 1 << 40
				c := newCore()
				c.Add(0, base, 8<<30)
				addrs := make([]uint64, blocks)
				var took time.Duration
				for range b.N {
					for i := range addrs {
						_, off, _ := c.Alloc(1000+uint64(i%64)*100, 1)
						addrs[i] = base + off
					}
					start := time.Now()
					if how == "reset" {
						c.Reset()
					} else {
						for i, addr := range addrs {
							if _, v := c.Free(addr, 1000+uint64(i%64)*100); v == poolimpl.Foreign || v == poolimpl.Double {
								b.Fatal(v)
							}
						}
					}
					took += time.Since(start)
				}
				b.ReportMetric(float64(took.Nanoseconds())/float64(b.N), "ns/all")
			})
		}
	}
}
