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
func (m Allocator) virtual(at site, ask runtime.Binding) (runtime.Bound, error) {
	props := abi.MemoryProps{Location: abi.LocationDevice, ID: int32(at.dev)}
	if m.Shareable {
		props.Handles = abi.HandleFD
	}
	unit, r := at.drv.MemGetAllocationGranularity(props, true)
	if err := check(r, "MemGetAllocationGranularity", at.dev, 0); err != nil {
		return runtime.Bound{}, err
	}
	size := ask.Limit
	if size == runtime.NoLimit {
		total, r := at.drv.DeviceTotalMem(int(at.dev))
		if err := check(r, "DeviceTotalMem", at.dev, 0); err != nil {
			return runtime.Bound{}, err
		}
		size = int64(total)
	}
	size = (size + int64(unit) - 1) / int64(unit) * int64(unit)
	base, r := at.drv.MemAddressReserve(uint64(size), unit)
	if err := check(r, "MemAddressReserve", at.dev, size); err != nil {
		return runtime.Bound{}, err
	}
	s := &virtualSource{
		site: at, props: props, base: base, size: size,
		peers: append([]int{int(at.dev)}, m.Peers...),
		free:  []extent{{0, size}},
	}
	end := &ending{[]func() error{s.settle, func() error {
		return check(at.drv.MemAddressFree(base, uint64(size)), "MemAddressFree", at.dev, size)
	}}}
	b := runtime.Bound{Source: s, Granularity: int64(unit), Close: end.run}
	if m.Shareable {
		x, err := at.exports(s)
		if err != nil {
			return runtime.Bound{}, errors.Join(err, end.run())
		}
		end.steps = append([]func() error{x.close}, end.steps...)
		b.Driver = x
	}
	return b, nil
}

func (s *virtualSource) bounds() (base abi.Ptr, size int64) { return s.base, s.size }

// covering is one piece: a chunk has one handle.
func (s *virtualSource) covering(c runtime.Chunk, _, _ uint64) []physical {
	return []physical{{piece{c.Addr - uint64(s.base), uint64(c.Size)}, abi.Memory(c.Origin)}}
}

// virtualSource maps chunks into one reservation, each at the lowest addresses that are free, so that the pool stays together.
type virtualSource struct {
	site
	props abi.MemoryProps
	base  abi.Ptr
	size  int64
	peers []int // devices that may read and write

	mu    sync.Mutex
	free  []extent // parts of the reservation that nothing is mapped to, ascending, none next to another
	stale ending   // gives back physical memory that is mapped nowhere
}

// extent is a part of the reservation, as offsets.
type extent struct{ from, to int64 }

func (s *virtualSource) Alloc(size, align int64) (runtime.Chunk, error) {
	_ = s.settle() // what fails here is tried again later, and told when the pool is closed
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
	h, r := s.drv.MemCreate(uint64(size), s.props)
	if err := check(r, "MemCreate", s.dev, size); err != nil {
		return 0, err
	}
	p := s.base + abi.Ptr(at)
	if err := check(s.drv.MemMap(p, uint64(size), 0, h), "MemMap", s.dev, size); err != nil {
		return 0, errors.Join(err, check(s.drv.MemRelease(h), "MemRelease", s.dev, size))
	}
	for _, d := range s.peers {
		if err := check(s.drv.MemSetAccess(p, uint64(size), d, abi.AccessReadWrite), "MemSetAccess", s.dev, size); err != nil {
			return 0, errors.Join(err, s.unmap(p, size, h))
		}
	}
	return h, nil
}

// unmap takes memory away from its addresses and gives it back. It fails only if the memory is still there.
func (s *virtualSource) unmap(p abi.Ptr, size int64, h abi.Memory) error {
	if err := check(s.drv.MemUnmap(p, uint64(size)), "MemUnmap", s.dev, size); err != nil {
		return err
	}
	s.mu.Lock()
	s.stale.steps = append(s.stale.steps, func() error { return check(s.drv.MemRelease(h), "MemRelease", s.dev, 0) })
	s.mu.Unlock()
	_ = s.settle()
	return nil
}

// settle gives physical memory back that is mapped nowhere. What the driver does not take is kept for the next call.
func (s *virtualSource) settle() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stale.run()
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
