package cuda_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Memory of a device without pools: allocated, filled and copied back in the order of a stream.
func Example() {
	if err := fetch(0); errors.Is(err, poolrt.ErrNoDriver) {
		log.Print("no GPU here: ", err)
	} else if err != nil {
		log.Fatal(err)
	}
}

func fetch(d cuda.Device) (err error) {
	s, err := d.NewStream(cuda.NonBlocking)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	p, err := d.Alloc(1024)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Free(p)) }()
	out := make([]byte, 1024)
	err = errors.Join(
		cuda.MemsetAsync(p, 7, 1024, s),
		cuda.CopyToHostAsync(out, p, s), // memory of Go: waits
		s.Synchronize())
	fmt.Println(out[0])
	return err
}

// A program that can work without a GPU checks once.
func ExampleProbe() {
	if err := cuda.Probe(); err != nil {
		fmt.Println(err) // which library was looked for, and what was wrong
		return
	}
	devices, err := cuda.Devices()
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range devices {
		fmt.Println(d.Name())
		fmt.Println(d.Supports("device_pool")) // nil: pools with that allocator work
	}
}

// Streams of another binding are adopted once; pools accept the result.
func ExampleAdoptStream() {
	var handle uintptr // a CUstream or cudaStream_t
	s, err := cuda.AdoptStream(handle)
	if err != nil {
		log.Print(err)
		return
	}
	log.Print(s.Device())
}

// One stream waits for another on the device; the host waits for neither.
func ExampleStream_Wait() {
	var produce, consume cuda.Stream // of one device, or of two
	done, err := produce.Device().NewEvent()
	if err != nil {
		log.Print(err)
		return
	}
	err = errors.Join(
		done.Record(produce), // after the work that produce has so far
		consume.Wait(done),   // before the work that is queued on consume from now on
		done.Close())         // consume waits for it nevertheless
	if err != nil {
		log.Print(err)
	}
}

// Arguments have the sizes that the kernel declares: int32 for the int of C, uint64 for its size_t.
func ExampleKernel_Launch() {
	var ( // of a module, a pool and a device
		scale cuda.Kernel // __global__ void scale(float *data, size_t n, float factor)
		data  cuda.DevicePtr
		s     cuda.Stream
	)
	const n = 1 << 20
	shape := cuda.Config{Grid: [3]uint32{n / 256}, Block: [3]uint32{256}, Stream: s}
	if err := scale.Launch(shape, data, uint64(n), float32(2)); err != nil {
		log.Print(err)
	}
}

// Captured work is instantiated once and launched many times.
func ExampleGraph_Instantiate() {
	var s cuda.Stream
	step := func() error { return nil } // queues copies and kernels on s
	err := s.BeginCapture()
	err = errors.Join(err, step())
	graph, failed := s.EndCapture()
	if err = errors.Join(err, failed); err != nil {
		log.Print(err)
		return
	}
	steps, err := graph.Instantiate()
	if err = errors.Join(err, graph.Close()); err != nil {
		log.Print(err)
		return
	}
	for range 1000 {
		err = errors.Join(err, steps.Launch(s))
	}
	if err = errors.Join(err, s.Synchronize(), steps.Close()); err != nil {
		log.Print(err)
	}
}

// A goroutine goes on when a stream has reached a point, and no thread waits meanwhile.
func ExampleStream_LaunchHostFunc() {
	var s cuda.Stream
	reached := make(chan struct{}, 1) // buffered: the function must not block
	if err := s.LaunchHostFunc(func() { reached <- struct{}{} }); err != nil {
		log.Print(err)
		return
	}
	<-reached
}

// A kernel is launched with the block size that keeps the device busiest, and with more shared memory than the default allows.
func ExampleKernel_SetAttribute() {
	var (
		reduce cuda.Kernel // with extern __shared__ memory
		s      cuda.Stream
	)
	const shared = 100 << 10
	if err := reduce.SetAttribute(cuda.KernelMaxDynamicBytes, shared); err != nil {
		log.Print(err)
		return
	}
	blocks, threads, err := reduce.MaxPotentialBlockSize(shared, 0)
	if err != nil {
		log.Print(err)
		return
	}
	err = reduce.Launch(cuda.Config{Grid: [3]uint32{uint32(blocks)}, Block: [3]uint32{uint32(threads)}, Shared: shared, Stream: s})
	if err != nil {
		log.Print(err)
	}
}

// The driver's own result is in a *cuda.Error, which the errors of pools wrap.
func ExampleError() {
	_, err := cuda.Device(0).Alloc(1 << 50)
	var e *cuda.Error
	switch {
	case errors.Is(err, poolrt.ErrNoDriver):
		log.Print("no GPU here: ", err)
	case errors.As(err, &e) && e.Code == cuda.ResultOutOfMemory:
		log.Printf("device %d does not have %d bytes", e.Device, e.Bytes)
	}
}
