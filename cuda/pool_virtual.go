package cuda

import (
	"sync"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// bind is allocator device_virtual: ranges of addresses are reserved, and physical memory is mapped to them as the pool grows, by pages if its
// suballocator supports that, else by chunks.
func (VirtualMemory) bind(m Allocator, at site, ask poolimpl.Binding) (poolimpl.Bound, error) {
	v := &ranges{mapped: mapped{site: at, peers: append([]int{int(at.dev)}, m.Peers...), mapping: &sync.Mutex{}}}
	v.props = abi.MemoryProps{Location: abi.LocationDevice, ID: int32(at.dev)}
	v.whole = m.Shareable || m.Registered // each handle has to be sent; NCCL maps a block in other processes only if it has one
	if m.Shareable {
		v.props.Handles = abi.HandleFD
	}
	if m.Registered {
		if err := v.forOthers(); err != nil {
			return poolimpl.Bound{}, err
		}
	}
	unit, least, err := v.measure(ask)
	if err != nil {
		return poolimpl.Bound{}, err
	}
	if m.Shareable { // its only range
		v.usual = v.memory
	}
	if err := v.open(least); err != nil {
		return poolimpl.Bound{}, err
	}
	end := &ending{[]func() error{v.close}}
	b := poolimpl.Bound{Close: end.run, Granularity: unit}
	var pages poolimpl.Pages
	if ask.Paged {
		beside := newBeside(v)
		end.steps = append(end.steps, beside.close)
		b.Source, b.Behind, b.Tidy = pageSource{v, beside}, beside.allocBehind, beside.tidy
		pages = poolimpl.Pages{First: v.first().all(), Page: v.page, Map: v.fill, Move: v.move, More: v.another, Less: v.unreserve, Stays: m.Shareable}
	} else {
		s := newChunkSource(v, !m.Shareable)
		b.Source, b.Behind, b.Tidy = s, s.allocBehind, s.tidy
	}
	if ask.Paged && !m.Shareable && ask.Sleep != nil {
		rest := newSleeper(v.mapped, ask.Name, ask.Sleep)
		pages.Sleeper = rest
		end.steps = append([]func() error{rest.close}, end.steps...)
	}
	if m.Shareable {
		if ask.Paged {
			pages.More = nil // the importing process has one range, too
		}
		x, err := at.exports(v.first())
		if err != nil {
			return unfinished(poolimpl.Bound{}, err, end.run)
		}
		end.steps = append([]func() error{x.close}, end.steps...)
		b.Driver = x
	}
	if ask.Paged {
		b.Pages = pages
	}
	return b, nil
}

// forOthers makes memory that libraries such as NCCL can map in other processes, and network adapters can reach, as far as the device has that.
func (v *ranges) forOthers() error {
	fd, err := v.dev.Attribute(FileDescriptorsSupported)
	if err != nil {
		return err
	}
	if fd != 0 {
		v.props.Handles = abi.HandleFD
	}
	rdma, err := v.dev.Attribute(Attribute(abi.AttributeVirtualMemoryRDMA))
	v.props.RDMA = rdma != 0
	return err
}

// leastPart is the part of the device's memory for which a pool without a limit needs addresses to begin with.
const leastPart = 16

// measure sets the size of pages, which is that of the pool's chunks, and how much memory there may be. It returns the driver's unit of sizes, and the bytes of addresses
// without which the pool is not opened: those for its limit.
func (v *ranges) measure(ask poolimpl.Binding) (unit, least int64, err error) {
	n, r := v.drv.MemGetAllocationGranularity(v.props, true)
	if err := check(r, "MemGetAllocationGranularity", v.dev, 0); err != nil {
		return 0, 0, err
	}
	total, err := v.dev.TotalMemory()
	if err != nil {
		return 0, 0, err
	}
	unit = int64(n)
	v.page = up(ask.Chunk, unit)
	if limit := max(ask.Limit/unit, 1) * unit; limit < total && limit%v.page != 0 {
		v.page = unit // otherwise the end of the limit could not be used
	}
	v.align = v.page & -v.page
	pages := func(bytes int64) int64 { return max(min(bytes, total)/v.page, 1) * v.page } // a pool with a limit of 0 can be opened, too
	v.memory, least = pages(max(ask.Limit, ask.Most)), pages(ask.Limit)
	v.usual = v.memory
	if ask.Most == poolrt.NoLimit {
		v.usual = least
	}
	if ask.Limit == poolrt.NoLimit {
		least = pages(total / leastPart)
	}
	v.most = poolrt.NoLimit
	if ask.Range > 0 {
		v.most = max(ask.Range/v.page, 1) * v.page
	}
	return unit, least, nil
}

// fill maps memory to all of the rows of pages, which lie in one range, or to none.
func (v *ranges) fill(rows []poolimpl.Extent) error { return v.of(rows[0].Addr).fill(rows) }

// another reserves another range for a pool with pages.
func (v *ranges) another(bytes int64) (poolimpl.Extent, error) {
	r, err := v.more(bytes)
	if err != nil {
		return poolimpl.Extent{}, err
	}
	return r.all(), nil
}

// unreserve frees such a range.
func (v *ranges) unreserve(x poolimpl.Extent) error { return v.less(v.of(x.Addr)) }

// pageSource is the source of a pool with pages. Chunks are memory of graphs, which lies in ranges of its own.
type pageSource struct {
	*ranges
	beside *chunkSource
}

// Alloc maps a chunk beside the pages.
func (s pageSource) Alloc(size, align int64) (poolimpl.Chunk, error) {
	return s.beside.Alloc(size, align)
}

func (s pageSource) Free(c poolimpl.Chunk) error {
	if s.beside.has(c.Addr) {
		return s.beside.Free(c)
	}
	r := s.of(c.Addr)
	return r.unmap(r.offsets(c.Addr, c.Size))
}
