package driver

import (
	"errors"
	"unsafe"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/bench/harness"
	"github.com/poolgen/poolgen/cuda"
)

// hosted returns the calls for memory that the host sees. It keeps what was allocated, because such memory is freed as a whole.
func hosted(take func(bytes int64) ([]byte, error), give func([]byte) error) harness.Calls {
	live := map[uint64][]byte{}
	return harness.Calls{
		Take: func(bytes int64) (uint64, error) {
			b, err := take(bytes)
			if err != nil {
				return 0, err
			}
			at := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
			live[at] = b
			return at, nil
		},
		Give: func(at uint64, _ int64) error {
			b := live[at]
			delete(live, at)
			return give(b)
		},
	}
}

func hostCalls(d cuda.Device) (harness.Calls, error) {
	return hosted(func(bytes int64) ([]byte, error) { return d.AllocHost(bytes, 0) }, d.FreeHost), nil
}

func managedCalls(d cuda.Device) (harness.Calls, error) {
	return hosted(d.AllocManaged, d.FreeManaged), nil
}

// whole rounds up to the granularity of physical memory.
func whole(bytes, granule int64) int64 { return (bytes + granule - 1) / granule * granule }

// mappedCalls returns the calls for physical memory that is mapped at an address range of its own.
func mappedCalls(d cuda.Device) (harness.Calls, error) {
	_, granule, err := d.Granularity(cuda.MemoryProps{})
	if err != nil {
		return harness.Calls{}, err
	}
	live := map[cuda.DevicePtr]cuda.Memory{}
	return harness.Calls{
		Take: func(bytes int64) (uint64, error) {
			at, m, err := mapped(d, whole(bytes, granule))
			if err == nil {
				live[at] = m
			}
			return uint64(at), err
		},
		Give: func(at uint64, bytes int64) error {
			place := cuda.DevicePtr(at)
			m := live[place]
			delete(live, place)
			return unmap(place, whole(bytes, granule), m)
		},
	}, nil
}

// mapped reserves addresses and maps memory there.
func mapped(d cuda.Device, n int64) (at cuda.DevicePtr, m cuda.Memory, err error) {
	if at, err = cuda.ReserveAddresses(n, 0); err != nil {
		return at, m, err
	}
	if m, err = d.NewMemory(n, cuda.MemoryProps{}); err != nil {
		return at, m, errors.Join(err, cuda.FreeAddresses(at, n))
	}
	if err = m.Map(at, n, 0); err != nil {
		return at, m, errors.Join(err, m.Close(), cuda.FreeAddresses(at, n))
	}
	if err = cuda.SetAccess(at, n, d, cuda.ReadWrite); err != nil {
		return at, m, errors.Join(err, unmap(at, n, m))
	}
	return at, m, nil
}

func unmap(at cuda.DevicePtr, n int64, m cuda.Memory) error {
	return errors.Join(cuda.Unmap(at, n), m.Close(), cuda.FreeAddresses(at, n))
}

// tileCalls returns the calls for physical memory that sparse textures are bound to.
func tileCalls(d cuda.Device) (harness.Calls, error) {
	props := cuda.MemoryProps{TilePool: true}
	_, granule, err := d.Granularity(props)
	if err != nil {
		return harness.Calls{}, err
	}
	live := map[uint64]cuda.Memory{}
	return harness.Calls{
		Take: func(bytes int64) (uint64, error) {
			m, err := d.NewMemory(whole(bytes, granule), props)
			if err == nil {
				live[m.Handle()] = m
			}
			return m.Handle(), err
		},
		Give: func(at uint64, _ int64) error {
			m := live[at]
			delete(live, at)
			return m.Close()
		},
	}, nil
}
