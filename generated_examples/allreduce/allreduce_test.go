package allreduce

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/nccl"
)

// ok reports an error. Workers are goroutines, which cannot stop the test.
func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// together runs f for two workers at once.
func together(t *testing.T, f func(t *testing.T, w *Worker)) {
	t.Helper()
	machine(t)
	if list, err := cuda.Devices(); err != nil || len(list) < 2 {
		t.Skipf("there is %d device, and this wants two: %v", len(list), err)
	}
	id, err := nccl.NewUniqueID()
	if errors.Is(err, nccl.ErrNoLibrary) {
		t.Skip(err)
	}
	ok(t, err)
	var both sync.WaitGroup
	for rank := range 2 {
		both.Go(func() {
			w, err := Join(context.Background(), id, 2, rank, cuda.Device(rank))
			if err != nil {
				t.Error(err)
				return
			}
			f(t, w)
			ok(t, w.Close())
		})
	}
	both.Wait()
}

// Steps of a training: blocks of several sizes, averaged without the host waiting in between.
func TestAverage(t *testing.T) {
	together(t, func(t *testing.T, w *Worker) {
		for _, n := range []int{1, 1000, 5 << 20} {
			in, out := make([]float32, n), make([]float32, n)
			for i := range in {
				in[i] = float32(i%1000 + 2*w.Comm.Rank())
			}
			g, err := w.Pool.AllocOn(n, w.Stream)
			ok(t, err)
			ok(t, w.Pool.CopyToDevice(g, in, w.Stream))
			ok(t, w.Average(g))
			ok(t, w.Pool.CopyToHost(out, g, w.Stream))
			ok(t, w.Pool.FreeOn(g, w.Stream))
			for i := range in {
				in[i] = float32(i%1000 + 1)
			}
			if !slices.Equal(in, out) {
				t.Errorf("rank %d: %d gradients have another average", w.Comm.Rank(), n)
			}
		}
	})
}

// Chunks are registered as the pool grows, and deregistered before they go.
func TestGrowAndTrim(t *testing.T) {
	cycles := 1000
	if testing.Short() {
		cycles = 20
	}
	together(t, func(t *testing.T, w *Worker) {
		for range cycles {
			g, err := w.Pool.Alloc(3 << 20)
			ok(t, err)
			ok(t, w.Pool.Free(g))
			w.Pool.Trim(0)
		}
	})
}

// Whichever is closed first, pool or communicator, nothing stays registered.
func TestCloseInEitherOrder(t *testing.T) {
	together(t, func(t *testing.T, w *Worker) {
		g, err := w.Pool.Alloc(1000)
		ok(t, err)
		ok(t, w.Pool.Free(g))
		if w.Comm.Rank() == 0 {
			ok(t, w.Pool.Close())
		} else {
			ok(t, w.Comm.Close())
		}
	})
}
