// Package driverpool shows a memory pool of the driver with every setting there is, and its figures: what it has reserved and what is
// in use, before, during and after two vectors are added on the device.
//
// The suballocator is none, so that each vector is one allocation of the driver's pool, and its figures are the package's. With another
// suballocator they would tell about chunks, which stay in use until Trim.
//
// The tests run on a GPU, and without one on the simulated driver:
//
//	go test -tags cudasim ./generated_examples/driverpool
package driverpool

import (
	"errors"
	"fmt"
	"io"

	"github.com/poolgen/poolgen/cuda"
)

// length is that of the vectors.
const length = 1 << 20

// Add computes a[i] + b[i] on the device, for a[i] = i and b[i] = 2i, prints what becomes of the pool's memory, and
// returns element i of the sum.
func Add(w io.Writer, i int) (sum float32, err error) {
	k, unload, err := addKernel(0)
	if err != nil {
		return 0, err
	}
	s, err := cuda.Device(0).NewStream(cuda.NonBlocking)
	if err != nil {
		return 0, errors.Join(err, unload())
	}
	defer func() { err = errors.Join(err, s.Close(), unload()) }()

	if err := tell(w, "before"); err != nil {
		return 0, err
	}
	var v [3]VectorSpan
	for i := range v {
		if v[i], err = AllocVectorOn(length, s); err != nil {
			return 0, errors.Join(err, free(v[:i], s))
		}
	}
	if err := tell(w, "allocated"); err != nil {
		return 0, errors.Join(err, free(v[:], s))
	}
	sum, err = add(k, v, i, s)
	if err := errors.Join(err, free(v[:], s)); err != nil {
		return 0, err
	}
	if err := reclaim(s); err != nil {
		return 0, err
	}
	if err := tell(w, "freed"); err != nil {
		return 0, err
	}
	if _, err := DefaultVectorPool().Trim(0); err != nil {
		return 0, err
	}
	return sum, tell(w, "trimmed")
}

// addKernel loads the kernel on a device. Its source is in kernel_gpu.go, and what stands for it on a simulated device in kernel_sim.go.
func addKernel(d cuda.Device) (k cuda.Kernel, unload func() error, err error) {
	m, err := d.LoadModule(source())
	if err != nil {
		return k, nil, err
	}
	if k, err = m.Kernel("addVectors"); err != nil {
		return k, nil, errors.Join(err, m.Close())
	}
	return k, m.Close, nil
}

// add fills the first two vectors, adds them into the third, and fetches one element.
func add(k cuda.Kernel, v [3]VectorSpan, i int, s cuda.Stream) (float32, error) {
	a, b := make([]float32, length), make([]float32, length)
	for i := range a {
		a[i], b[i] = float32(i), float32(2*i)
	}
	var sum [1]float32
	shape := cuda.Config{Grid: [3]uint32{64}, Block: [3]uint32{256}, Stream: s}
	err := errors.Join(
		CopyVectorToDevice(v[0], a, s),
		CopyVectorToDevice(v[1], b, s),
		k.Launch(shape, v[2].Addr(), v[0].Addr(), v[1].Addr(), uint64(length)),
		CopyVectorToHost(sum[:], v[2].Slice(i, i+1), s), // memory of Go: waits
	)
	return sum[0], err
}

// free gives vectors back in the order of the stream.
func free(v []VectorSpan, s cuda.Stream) error {
	var errs []error
	for _, x := range v {
		errs = append(errs, FreeVectorOn(x, s))
	}
	return errors.Join(errs...)
}

// reclaim reclaims what was freed on the stream, which the pool otherwise does when it needs memory. The first Poll puts a fence behind the frees,
// Synchronize waits until the stream has passed it, and the second Poll finds that.
func reclaim(s cuda.Stream) error {
	p := DefaultVectorPool()
	p.Poll()
	err := s.Synchronize()
	p.Poll()
	return err
}

// tell prints the figures of the driver's pool.
func tell(w io.Writer, when string) error {
	s, err := DefaultVectorPool().DriverStats()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%-10s reserved %3d MiB (at most %3d), used %3d MiB (at most %3d)\n", when+":",
		s.Reserved>>20, s.ReservedHigh>>20, s.Used>>20, s.UsedHigh>>20)
	return err
}
