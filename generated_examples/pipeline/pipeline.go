// Package pipeline shows work that goes through a device piece by piece: page-locked buffers of a ring, blocks of device memory that are
// allocated and freed in the order of a stream, a kernel, and the way back. The host waits only for results, never between the stages: a
// block is freed right after the last call that uses it was queued, long before it runs.
//
// The tests run on a GPU, and without one on the simulated driver:
//
//	go test -tags cudasim ./generated_examples/pipeline
package pipeline

import (
	"errors"

	"github.com/poolgen/poolgen/cuda"
)

// pieceSize is how many numbers go through at a time. The ring holds four such pieces: two on their way there, two on their way back.
const pieceSize = 64 << 10

// Scale sets out, which is as long as in, to the numbers of in times factor, computed on the device. Pieces take turns on two streams, so that
// one is copied while another is worked on. It must not be called by several goroutines at the same time, whose pieces would
// take each other's place in the ring.
func Scale(out, in []float32, factor float32, on cuda.Device) (err error) {
	k, unload, err := scaleKernel(on)
	if err != nil {
		return err
	}
	var queues [2]queue
	defer func() {
		for i := range queues {
			err = errors.Join(err, queues[i].end())
		}
		err = errors.Join(err, unload())
	}()
	for i := range queues {
		if queues[i].stream, err = on.NewStream(cuda.NonBlocking); err != nil {
			return err
		}
	}
	for i := 0; len(in) > 0; i++ {
		q := &queues[i%len(queues)]
		n := min(pieceSize, len(in))
		if err := q.collect(); err != nil {
			return err
		}
		if err := q.send(out[:n], in[:n], factor, k); err != nil {
			return err
		}
		out, in = out[n:], in[n:]
	}
	return nil
}

// queue is a stream with the piece that is on its way.
type queue struct {
	stream cuda.Stream
	result []float32 // of the ring; nil: none is on its way
	out    []float32 // where the result is to go
}

// send queues one piece: up, through the kernel, and down. It does not wait for the stream.
func (q *queue) send(out, in []float32, factor float32, k cuda.Kernel) error {
	// The host fills this buffer, so it must be one that no stream is still at work with: Alloc, not AllocOn.
	up, err := AllocStage(len(in))
	if err != nil {
		return err
	}
	copy(up, in)
	// The device is the first to use all others: AllocOn may give the stream what it has freed itself and not finished with.
	data, err := AllocBatchOn(len(in), q.stream)
	if err != nil {
		return errors.Join(err, FreeStage(up))
	}
	down, err := AllocStageOn(len(in), q.stream)
	if err == nil {
		err = errors.Join(
			CopyBatchToDevice(data, up, q.stream),
			launch(k, data, factor, q.stream),
			CopyBatchToHost(down, data, q.stream))
		q.result, q.out = down, out
	}
	// Nothing above has happened yet. The pools know: for other streams these blocks are free when this one has passed.
	return errors.Join(err, FreeStageOn(up, q.stream), FreeBatchOn(data, q.stream))
}

// scaleKernel loads the kernel on a device. Its source is in kernel_gpu.go, and what stands for it on a simulated device in kernel_sim.go.
func scaleKernel(d cuda.Device) (k cuda.Kernel, unload func() error, err error) {
	m, err := d.LoadModule(source())
	if err != nil {
		return k, nil, err
	}
	if k, err = m.Kernel("scale"); err != nil {
		return k, nil, errors.Join(err, m.Close())
	}
	return k, m.Close, nil
}

// launch multiplies a block on the device.
func launch(k cuda.Kernel, data BatchSpan, factor float32, s cuda.Stream) error {
	grid := uint32(min((data.Len()+255)/256, 64))
	return k.Launch(cuda.Config{Grid: [3]uint32{grid}, Block: [3]uint32{256}, Stream: s}, data.Addr(), uint64(data.Len()), factor)
}

// collect waits for the piece that is on its way, if there is one, and takes it over.
func (q *queue) collect() error {
	if q.result == nil {
		return nil
	}
	err := q.stream.Synchronize()
	copy(q.out, q.result)
	err = errors.Join(err, FreeStage(q.result)) // the stream is done: a plain free
	q.result = nil
	return err
}

// end collects the last piece and closes the stream.
func (q *queue) end() error {
	err := q.collect()
	if q.stream != (cuda.Stream{}) {
		err = errors.Join(err, q.stream.Close())
	}
	return err
}

// Memory says which allocator the pool of device memory was to use and which it uses, with the reason if that is another one. Asking ties the
// pool to its device, as its first use does.
func Memory() (requested, effective, reason string) {
	p := DefaultBatchPool()
	effective, reason = p.Effective()
	return p.Requested(), effective, reason
}

// Close gives the memory of both pools back.
func Close() error {
	return errors.Join(DefaultStagePool().Close(), DefaultBatchPool().Close())
}
