package cuda

import (
	"errors"
	"fmt"
	"sync"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/runtime"
)

// virtual is allocator device_virtual: addresses for all that the pool may ever hold are reserved at once, and physical memory is mapped
// to them chunk by chunk.
func (m Memory) virtual(at site, ask runtime.Binding) (runtime.Bound, error) {
	props := abi.MemoryProps{Location: abi.LocationDevice, ID: int32(at.dev)}
	if m.Shareable {
		props.Handles = abi.HandleFD
	}
	unit, r := table().MemGetAllocationGranularity(props, true)
	if err := failed("cuMemGetAllocationGranularity", r, at.dev, 0); err != nil {
		return runtime.Bound{}, err
	}
	size := ask.Limit
	if size == runtime.NoLimit {
		total, r := table().DeviceTotalMem(int(at.dev))
		if err := failed("cuDeviceTotalMem", r, at.dev, 0); err != nil {
			return runtime.Bound{}, err
		}
		size = int64(total)
	}
	size = (size + int64(unit) - 1) / int64(unit) * int64(unit)
	base, r := table().MemAddressReserve(uint64(size), unit)
	if err := failed("cuMemAddressReserve", r, at.dev, size); err != nil {
		return runtime.Bound{}, err
	}
	s := &virtualSource{
		site: at, props: props, unit: int64(unit), base: base,
		peers: append([]int{int(at.dev)}, m.Peers...),
		free:  []extent{{0, size}},
	}
	return runtime.Bound{Source: s, Granularity: int64(unit), Zero: at.zero, Close: func() error {
		return failed("cuMemAddressFree", table().MemAddressFree(base, uint64(size)), at.dev, size)
	}}, nil
}

// virtualSource maps chunks into one reservation, each at the lowest addresses that are free, so that the pool stays together.
type virtualSource struct {
	site
	props abi.MemoryProps
	unit  int64
	base  abi.Ptr
	peers []int // devices that may read and write

	mu   sync.Mutex
	free []extent // parts of the reservation that nothing is mapped to, ascending, none next to another
}

// extent is a part of the reservation, as offsets.
type extent struct{ from, to int64 }

func (s *virtualSource) Alloc(size, align int64) (runtime.Chunk, error) {
	at, ok := s.take(size, align)
	if !ok {
		return runtime.Chunk{}, fmt.Errorf("%w: no %d bytes in a row are left of the reservation", runtime.ErrOutOfMemory, size)
	}
	h, err := s.mapAt(at, size)
	if err != nil {
		s.give(at, size)
		return runtime.Chunk{}, err
	}
	return runtime.Chunk{Addr: uint64(s.base) + uint64(at), Size: size, Origin: uint64(h)}, nil
}

// mapAt makes physical memory and maps it. Nothing is left behind when a step fails.
func (s *virtualSource) mapAt(at, size int64) (abi.Memory, error) {
	h, r := table().MemCreate(uint64(size), s.props)
	if err := failed("cuMemCreate", r, s.dev, size); err != nil {
		return 0, err
	}
	p := s.base + abi.Ptr(at)
	if err := failed("cuMemMap", table().MemMap(p, uint64(size), 0, h), s.dev, size); err != nil {
		return 0, errors.Join(err, failed("cuMemRelease", table().MemRelease(h), s.dev, size))
	}
	for _, d := range s.peers {
		if err := failed("cuMemSetAccess", table().MemSetAccess(p, uint64(size), d, abi.AccessReadWrite), s.dev, size); err != nil {
			return 0, errors.Join(err, s.unmap(p, size, h))
		}
	}
	return h, nil
}

func (s *virtualSource) unmap(p abi.Ptr, size int64, h abi.Memory) error {
	if err := failed("cuMemUnmap", table().MemUnmap(p, uint64(size)), s.dev, size); err != nil {
		return err
	}
	return failed("cuMemRelease", table().MemRelease(h), s.dev, size)
}

func (s *virtualSource) Free(c runtime.Chunk) error {
	if err := s.unmap(abi.Ptr(c.Addr), c.Size, abi.Memory(c.Origin)); err != nil {
		return err
	}
	s.give(int64(c.Addr-uint64(s.base)), c.Size)
	return nil
}

// take finds the lowest place for size bytes.
func (s *virtualSource) take(size, align int64) (at int64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, e := range s.free {
		at := e.from + -(int64(s.base)+e.from)&(align-1)
		if at+size > e.to {
			continue
		}
		rest := []extent{{e.from, at}, {at + size, e.to}}
		s.free = append(s.free[:i], s.free[i+1:]...)
		for _, r := range rest {
			s.insert(r)
		}
		return at, true
	}
	return 0, false
}

// give takes a place back.
func (s *virtualSource) give(at, size int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.insert(extent{at, at + size})
}

// insert adds an extent and joins it with its neighbours.
func (s *virtualSource) insert(e extent) {
	if e.from == e.to {
		return
	}
	i := 0
	for i < len(s.free) && s.free[i].from < e.from {
		i++
	}
	if i < len(s.free) && s.free[i].from == e.to {
		s.free[i].from = e.from
	} else {
		s.free = append(s.free[:i], append([]extent{e}, s.free[i:]...)...)
	}
	if i > 0 && s.free[i-1].to == s.free[i].from {
		s.free[i-1].to = s.free[i].to
		s.free = append(s.free[:i], s.free[i+1:]...)
	}
}
