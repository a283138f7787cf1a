//go:build cudasim

package allreduce

import (
	"context"
	"fmt"
	"sync"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/nccl"
	"github.com/poolgen/poolgen/cuda/sim"
)

func Example() {
	sim.Reset(sim.Config{Devices: 2})
	id, _ := nccl.NewUniqueID()
	var both sync.WaitGroup
	var averages [2][]float32
	for rank := range averages {
		both.Go(func() {
			w, err := Join(context.Background(), id, 2, rank, cuda.Device(rank))
			if err != nil {
				fmt.Println(err)
				return
			}
			defer w.Close()
			g, _ := w.Pool.AllocOn(3, w.Stream)
			_ = w.Pool.CopyToDevice(g, []float32{1, 2, float32(10 * rank)}, w.Stream)
			_ = w.Average(g)
			averages[rank] = make([]float32, 3)
			_ = w.Pool.CopyToHost(averages[rank], g, w.Stream)
			_ = w.Pool.FreeOn(g, w.Stream)
		})
	}
	both.Wait()
	fmt.Println(averages)
	// Output:
	// [[1 2 5] [1 2 5]]
}
