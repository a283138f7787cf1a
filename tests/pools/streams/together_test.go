//go:build cudasim

package streams

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// Several goroutines share a pool, each with streams of its own.
func TestGoroutinesShareAPool(t *testing.T) {
	for _, s := range Subjects() {
		if s.Name == "own" {
			continue // is for one goroutine
		}
		t.Run(s.Name, func(t *testing.T) {
			rig.Machine(t, sim.Config{Devices: 1, Capacity: 1 << 30, Schedule: 5})
			var done sync.WaitGroup
			for g := range uint64(4) {
				p := &playing{T: t, Subject: s, r: rand.New(rand.NewPCG(g, 4))}
				for range 2 {
					p.streams = append(p.streams, rig.Must(cuda.Device(0).NewStream(cuda.NonBlocking)))
				}
				done.Go(func() {
					for range 500 {
						p.step()
					}
					for _, h := range p.held {
						p.give(h)
					}
					for _, s := range p.streams {
						rig.Check(t, "stream close", s.Close())
					}
				})
			}
			done.Wait()
			rig.Check(t, "close", s.Pool.Close())
		})
	}
}
