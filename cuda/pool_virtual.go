package cuda

import (
	"fmt"
	"sync"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// virtual is allocator device_virtual: addresses for all memory that the pool may ever hold are reserved at once, and physical memory is
// mapped to them as the pool grows, by pages if its suballocator supports that, else by chunks.
func (m Allocator) virtual(at site, ask poolimpl.Binding) (poolimpl.Bound, error) {
	v := &reservation{site: at, peers: append([]int{int(at.dev)}, m.Peers...)}
	v.props = abi.MemoryProps{Location: abi.LocationDevice, ID: int32(at.dev)}
	if m.Shareable {
		v.props.Handles = abi.HandleFD
	}
	unit, err := v.measure(ask)
	if err != nil {
		return poolimpl.Bound{}, err
	}
	var r abi.Result
	v.base, r = at.drv.MemAddressReserve(uint64(v.size), uint64(unit))
	if err := check(r, "MemAddressReserve", at.dev, v.size); err != nil {
		return poolimpl.Bound{}, err
	}
	end := &ending{[]func() error{v.clear, v.leave}}
	b := poolimpl.Bound{Close: end.run, Granularity: unit}
	if ask.Paged {
		b.Source = pageSource{v}
		b.Pages = &poolimpl.Pages{Base: uint64(v.base), Size: v.size, Page: v.page, Map: v.fill, Stays: m.Shareable}
	} else {
		b.Source = &chunkSource{reservation: v, free: []extent{{0, v.size}}}
	}
	if m.Shareable {
		v.page = v.size // as few handles as possible: each has to be sent
		x, err := at.exports(v)
		if err != nil {
			return unfinished(poolimpl.Bound{}, err, end.run)
		}
		end.steps = append([]func() error{x.close}, end.steps...)
		b.Driver = x
	}
	return b, nil
}

// measure sets the size of the reservation, which holds the largest limit that may be set, and of its pages, which is that of the pool's chunks: the driver takes
// about as long for a small reservation as for a large one. It returns the driver's unit of sizes.
func (v *reservation) measure(ask poolimpl.Binding) (unit int64, err error) {
	n, r := v.drv.MemGetAllocationGranularity(v.props, true)
	if err := check(r, "MemGetAllocationGranularity", v.dev, 0); err != nil {
		return 0, err
	}
	unit = int64(n)
	v.page = up(ask.Chunk, unit)
	if ask.Limit < poolrt.NoLimit && max(ask.Limit/unit, 1)*unit%v.page != 0 {
		v.page = unit // otherwise the end of the limit could not be used
	}
	most := max(ask.Limit, ask.Most)
	if most == poolrt.NoLimit {
		total, r := v.drv.DeviceTotalMem(int(v.dev))
		if err := check(r, "DeviceTotalMem", v.dev, 0); err != nil {
			return 0, err
		}
		most = int64(total)
	}
	v.size = max(most/v.page, 1) * v.page // a pool with a limit of 0 can be opened, too
	return unit, nil
}

// pageSource is the source of a pool with pages.
type pageSource struct{ *reservation }

// Alloc fails: the pool has all addresses already.
func (s pageSource) Alloc(size, _ int64) (poolimpl.Chunk, error) {
	return poolimpl.Chunk{}, fmt.Errorf("%w: %d bytes beside the pages of the reservation", poolrt.ErrUnsupported, size)
}

func (s pageSource) Free(c poolimpl.Chunk) error { return s.unmap(s.offsets(c.Addr, c.Size)) }

// chunkSource maps chunks into the reservation, each at the lowest free addresses, which keeps the pool compact.
type chunkSource struct {
	*reservation
	places sync.Mutex
	free   []extent // parts of the reservation that no chunk has, ascending, none next to another
}

func (s *chunkSource) Alloc(size, align int64) (poolimpl.Chunk, error) {
	at, ok := s.take(size, align)
	if !ok {
		return poolimpl.Chunk{}, fmt.Errorf("%w: no %d bytes in a row are left of the reservation", poolrt.ErrOutOfMemory, size)
	}
	if err := s.mapAll([]extent{at}); err != nil {
		if s.holds(at) { // the driver did not unmap it
			return s.chunk(at), err
		}
		s.give(at)
		return poolimpl.Chunk{}, err
	}
	return s.chunk(at), nil
}

// chunk returns an extent as a chunk.
func (v *reservation) chunk(at extent) poolimpl.Chunk {
	return poolimpl.Chunk{Addr: uint64(v.base) + uint64(at.from), Size: at.to - at.from}
}

func (s *chunkSource) Free(c poolimpl.Chunk) error {
	at := s.offsets(c.Addr, c.Size)
	if err := s.unmap(at); err != nil {
		return err
	}
	s.give(at)
	return nil
}

// take finds the lowest place for size bytes.
func (s *chunkSource) take(size, align int64) (at extent, ok bool) {
	s.places.Lock()
	defer s.places.Unlock()
	for i, e := range s.free {
		from := e.from + -(int64(s.base)+e.from)&(align-1)
		if from+size > e.to {
			continue
		}
		rest := []extent{{e.from, from}, {from + size, e.to}}
		s.free = append(s.free[:i], s.free[i+1:]...)
		for _, r := range rest {
			s.insert(r)
		}
		return extent{from, from + size}, true
	}
	return extent{}, false
}

// give frees a place.
func (s *chunkSource) give(e extent) {
	s.places.Lock()
	defer s.places.Unlock()
	s.insert(e)
}

// insert adds an extent and joins it with its neighbours.
func (s *chunkSource) insert(e extent) {
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
