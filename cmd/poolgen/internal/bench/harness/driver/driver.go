// Package driver measures the CUDA driver's own calls for memory, as peers of pools.
package driver

import (
	"fmt"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/bench/harness"
	"github.com/poolgen/poolgen/cuda"
)

// Stream makes a stream for a worker.
func Stream(device int) (cuda.Stream, error) { return cuda.Device(device).NewStream(cuda.NonBlocking) }

// Name is the driver's library; "simulator" for the simulated one, and "" without any.
func Name() string { return cuda.LibraryPath() }

// Peers returns a function that returns the driver's own calls for the kind of memory that an allocator of pool files provides.
func Peers(allocator string, device int) func() ([]harness.Peer, error) {
	return func() ([]harness.Peer, error) {
		if err := cuda.Probe(); err != nil {
			return nil, fmt.Errorf("the driver's own calls are left out: %w", err)
		}
		d := cuda.Device(device)
		var list []harness.Peer
		for _, w := range ways[allocator] {
			if w.needs == "" || d.Supports(w.needs) == nil {
				list = append(list, harness.Called(w.name, w.granule, func() (harness.Calls, error) { return w.open(d) }))
			}
		}
		return list, nil
	}
}

// way is a way to get memory of the driver.
type way struct {
	name    string
	granule int64
	needs   string // an allocator of pool files that makes the same calls; "" if the pool's own allocator does
	open    func(d cuda.Device) (harness.Calls, error)
}

// page is the granularity of physical memory.
const page = 2 << 20

var (
	async = way{"cuMemAllocAsync", 0, "device_async", func(d cuda.Device) (harness.Calls, error) { return onStream(d, cuda.AllocAsync, nil) }}
	ways  = map[string][]way{
		"pinned":         {{"cuMemHostAlloc", 0, "", hostCalls}},
		"managed":        {{"cuMemAllocManaged", 0, "", managedCalls}},
		"device":         {{"cuMemAlloc", 0, "", plainCalls}, async},
		"device_async":   {async},
		"device_pool":    {{"cuMemAllocFromPoolAsync", 0, "", poolCalls}, async},
		"device_virtual": {{"cuMemCreate, cuMemMap", page, "", mappedCalls}, {"cuMemAlloc", 0, "", plainCalls}},
		"texture_tile":   {{"cuMemCreate", page, "", tileCalls}},
	}
)

func plainCalls(d cuda.Device) (harness.Calls, error) {
	return harness.Calls{
		Take: func(bytes int64) (uint64, error) {
			p, err := d.Alloc(bytes)
			return uint64(p), err
		},
		Give: func(at uint64, _ int64) error { return d.Free(cuda.DevicePtr(at)) },
	}, nil
}

// onStream allocates and frees on the worker's own stream.
func onStream(d cuda.Device, alloc func(int64, cuda.Stream) (cuda.DevicePtr, error), end func() error) (harness.Calls, error) {
	s, err := Stream(int(d))
	if err != nil {
		return harness.Calls{}, err
	}
	return harness.Calls{
		Take: func(bytes int64) (uint64, error) {
			p, err := alloc(bytes, s)
			return uint64(p), err
		},
		Give: func(at uint64, _ int64) error { return cuda.FreeAsync(cuda.DevicePtr(at), s) },
		Close: func() error {
			err := s.Synchronize()
			if closed := s.Close(); err == nil {
				err = closed
			}
			if end != nil && err == nil {
				err = end()
			}
			return err
		},
	}, nil
}

func poolCalls(d cuda.Device) (harness.Calls, error) {
	p, err := d.NewMemPool(cuda.MemPoolProps{})
	if err != nil {
		return harness.Calls{}, err
	}
	return onStream(d, p.AllocAsync, p.Close)
}
