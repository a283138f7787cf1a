// Package allreduce shows two ranks that train one model: each computes gradients on its device, and NCCL averages them in the memory of a pool, whose chunks NCCL
// knows.
//
// The tests run on two GPUs with NCCL, and without them on the simulated driver and NCCL:
//
//	go test -tags cudasim ./generated_examples/allreduce
package allreduce

import (
	"context"
	"errors"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/nccl"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Worker is a rank with its pool and a stream.
type Worker struct {
	Comm   *nccl.Comm
	Pool   *GradientPool
	Stream cuda.Stream
}

// Join makes a worker on a device, and waits until all have joined. Workers are goroutines or processes: the program carries the id to them.
func Join(ctx context.Context, id nccl.UniqueID, workers, rank int, d cuda.Device) (w *Worker, err error) {
	w = &Worker{}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	if w.Pool, err = NewGradientPool(poolrt.OnDevice(int(d))); err != nil {
		return w, err
	}
	if w.Stream, err = d.NewStream(cuda.NonBlocking); err != nil {
		return w, err
	}
	if w.Comm, err = nccl.New(ctx, id, workers, rank, d); err != nil {
		return w, err
	}
	return w, nccl.Attach(w.Pool, w.Comm)
}

// Average replaces the gradients by their average over all workers, in the order of the stream. All workers average blocks of the same length, in the same order.
func (w *Worker) Average(g GradientSpan) error {
	return w.Comm.AllReduce(g.Addr(), g.Addr(), g.Len(), nccl.Float32, nccl.Avg, w.Stream)
}

// Close ends what there is of the worker. The order of communicator and pool does not matter.
func (w *Worker) Close() error {
	var errs []error
	if w.Comm != nil {
		errs = append(errs, w.Comm.Close())
	}
	if w.Stream != (cuda.Stream{}) {
		errs = append(errs, w.Stream.Close())
	}
	if w.Pool != nil {
		errs = append(errs, w.Pool.Close())
	}
	return errors.Join(errs...)
}
