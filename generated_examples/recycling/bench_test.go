package recycling

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/poolgen/poolgen/cuda"
)

// side is one of the programs that a benchmark compares. It does something n times.
type side struct {
	name string
	do   func(n int)
}

// compare reports how long each side takes to do something once: the least of 200 rounds, in turns. The sides after the first are also reported as
// multiples of it.
func compare(b *testing.B, n int, sides ...side) {
	b.Helper()
	least := make([]time.Duration, len(sides))
	for b.Loop() {
		for round := range 200 {
			for i, s := range sides {
				start := time.Now()
				s.do(n)
				if d := time.Since(start); round == 0 || d < least[i] {
					least[i] = d
				}
			}
		}
	}
	b.ReportMetric(0, "ns/op") // of all rounds: it says nothing
	for i, s := range sides {
		b.ReportMetric(float64(least[i].Nanoseconds())/float64(n), s.name+"-ns")
		if i > 0 {
			b.ReportMetric(float64(least[i])/float64(least[0]), s.name+"-ratio")
		}
	}
}

// BenchmarkLayers takes a layer and gives it back, of one length and of 64 in turn, all of which have come before: what a map does best.
func BenchmarkLayers(b *testing.B) {
	for _, lengths := range []int{1, 64} {
		b.Run(fmt.Sprint(lengths), func(b *testing.B) {
			machine(b)
			s, before, after := stream(b), new(mappedLayers), new(PixelPool)
			compare(b, 1<<10,
				side{"before", func(n int) {
					for i := range n {
						length := 1000 * (1 + i%lengths)
						layer, err := before.get(length)
						if err != nil {
							b.Fatal(err)
						}
						before.put(layer, length)
					}
				}},
				side{"after", func(n int) {
					for i := range n {
						layer, err := after.AllocOn(1000*(1+i%lengths), s)
						if err != nil || after.FreeOn(layer, s) != nil {
							b.Fatal(err)
						}
					}
				}})
			ok(b, before.close())
			ok(b, after.Close())
		})
	}
}

// BenchmarkRequests takes 16 or 256 pieces of 64 bytes for a request, and resets.
func BenchmarkRequests(b *testing.B) {
	for _, pieces := range []int{16, 256} {
		b.Run(fmt.Sprint(pieces), func(b *testing.B) {
			var before arena
			var after ScratchPool
			compare(b, 1<<7,
				side{"before", func(n int) {
					for range n {
						for range pieces {
							before.alloc(64)[0] = 1
						}
						before.reset()
					}
				}},
				side{"after", func(n int) {
					for range n {
						for range pieces {
							piece, err := after.Alloc(64)
							if err != nil {
								b.Fatal(err)
							}
							piece[0] = 1
						}
						if err := after.Reset(); err != nil {
							b.Fatal(err)
						}
					}
				}})
			ok(b, after.Close())
		})
	}
}

// BenchmarkPictures makes a picture and returns its memory. The collector's picture is returned at once: in the program, a collection and the
// finalizer come on top.
func BenchmarkPictures(b *testing.B) {
	machine(b)
	s, pool := stream(b), new(PixelPool)
	compare(b, 1<<7,
		side{"before", func(n int) {
			for range n {
				p, err := newCollectedPicture(1000, s)
				if err != nil {
					b.Fatal(err)
				}
				runtime.SetFinalizer(p, nil)
				if err := cuda.Device(0).Free(p.at); err != nil {
					b.Fatal(err)
				}
			}
		}},
		side{"after", func(n int) {
			for range n {
				p, err := newPicture(pool, 1000, s)
				if err != nil || p.close() != nil {
					b.Fatal(err)
				}
			}
		}},
		side{"without-net", func(n int) {
			for range n {
				memory, err := pool.AllocRefOn(1000, s)
				if err != nil || memory.Release() != nil {
					b.Fatal(err)
				}
			}
		}})
	ok(b, pool.Close())
}

// BenchmarkParticles takes a particle and gives it back, where a slice is enough.
func BenchmarkParticles(b *testing.B) {
	var slice spares
	var pool ParticlePool
	compare(b, 1<<12,
		side{"slice", func(n int) {
			for range n {
				slice.put(slice.get())
			}
		}},
		side{"pool", func(n int) {
			for range n {
				p, err := pool.Alloc()
				if err != nil || pool.Free(p) != nil {
					b.Fatal(err)
				}
			}
		}})
	ok(b, pool.Close())
}
