//go:build cudasim

package recycling

import (
	"fmt"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
)

// Layers of 100 lengths, one after the other, on a device of 32 MiB. None is longer than 1 MiB.
func Example_layers() {
	for _, p := range painters {
		sim.Reset(sim.Config{Capacity: deviceBytes})
		s, _ := cuda.Device(0).NewStream(cuda.NonBlocking)
		picture, _ := cuda.Device(0).Alloc(1 << 20)
		painter, painted := p.make(), 0
		for n := 1 << 20; painted < 100; n -= 1000 {
			if err := painter.paint(picture, n, 7, s); err != nil {
				fmt.Println(err)
				break
			}
			painted++
			_ = s.Synchronize()
		}
		fmt.Printf("%s: %d layers painted, %d KiB held\n", p.name, painted, held(painter))
		fmt.Println(painter.close())
	}
	// Output:
	// cuda: MemAlloc of 1017576 bytes on device 0: CUDA_ERROR_OUT_OF_MEMORY: out of memory
	// before: 31 layers painted, 31298 KiB held
	// <nil>
	// after: 100 layers painted, 2048 KiB held
	// <nil>
}

// held returns how many KiB a painter holds. The map does not know that: it is what is in use but for the picture.
func held(p painter) int64 {
	if after, is := p.(*pooledLayers); is {
		return after.pool.Stats().Reserved >> 10
	}
	return used() - 1<<10
}

// Two streams paint with layers of one length, and neither waits for the other. The map hands a layer to the second stream while the first is at work
// in it. The pool hands it out when the first stream has passed.
func TestLayersOnTwoStreams(t *testing.T) {
	for _, p := range painters {
		t.Run(p.name, func(t *testing.T) {
			sim.Reset(sim.Config{Schedule: 1, Hazards: true})
			const n = 1000
			painter := p.make()
			for colour := range byte(2) {
				ok(t, painter.paint(canvas(t, n), n, colour, stream(t)))
			}
			ok(t, cuda.Device(0).Synchronize())
			ok(t, painter.close())
			if found := sim.Hazards(); (len(found) > 0) != (p.name == "before") {
				t.Errorf("uses of a layer in no order: %v", found)
			}
		})
	}
}
