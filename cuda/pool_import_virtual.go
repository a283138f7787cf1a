package cuda

import (
	"cmp"
	"errors"
	"slices"
	"sync"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// importedRange is the reservation of another process, with a reservation of the same size in this process. Physical memory that
// arrives on the channel is mapped at the same offsets, and stays mapped until the pool is closed, as in the exporting process.
type importedRange struct {
	site
	hello
	channel channel
	base    abi.Ptr
	peers   []int // devices that may read and write

	mu     sync.Mutex
	parts  []part         // that memory is mapped to, ascending
	opened map[int64]bool // blocks, by their offset
	stale  ending         // gives back handles of memory that is mapped, or will not be
}

// part is a part of the reservation with memory.
type part struct {
	extent
	granted bool // the devices may use it
}

// virtual imports a pool of virtual memory.
func (m importing) virtual(_ Allocator, at site, _ poolimpl.Binding) (poolimpl.Bound, error) {
	s := &importedRange{site: at, peers: append([]int{int(at.dev)}, m.Peers...), opened: map[int64]bool{}}
	err := onFile(m.file, func(fd int) (err error) {
		s.channel, err = openChannel(fd)
		return err
	})
	if err != nil {
		return poolimpl.Bound{}, err
	}
	if err := s.begin(); err != nil {
		s.channel.close() // and not shut down: the file is unchanged, and another attempt may succeed
		return unfinished(poolimpl.Bound{}, err, s.leave)
	}
	end := &ending{[]func() error{s.end}}
	return poolimpl.Bound{Source: s, Driver: s, Close: end.run}, nil
}

// begin reserves the addresses that the first message describes. Only then does it remove that message.
func (s *importedRange) begin() error {
	message, fds, err := s.channel.peek()
	closeAll(fds)
	switch {
	case errors.Is(err, errChannelGone):
		return badFile("the pool that exported it is closed")
	case errors.Is(err, errChannelEmpty):
		return badFile("the pool was imported from it already: each importer needs a file of its own")
	case err != nil:
		return err
	}
	if s.hello, err = readHello(message); err != nil {
		return err
	}
	if err := s.elsewhere(s.device); err != nil {
		return err
	}
	unit, r := s.drv.MemGetAllocationGranularity(abi.MemoryProps{Location: abi.LocationDevice, ID: int32(s.dev), Handles: abi.HandleFD}, true)
	if err := check(r, "MemGetAllocationGranularity", s.dev, 0); err != nil {
		return err
	}
	if s.size <= 0 || s.size%int64(unit) != 0 {
		return badFile("a reservation of %d bytes, where pages have %d", s.size, unit)
	}
	if s.base, r = s.drv.MemAddressReserve(uint64(s.size), unit); r != abi.Success {
		return lackOf(s.size, check(r, "MemAddressReserve", s.dev, s.size))
	}
	return s.channel.skip()
}

// leave frees the addresses, if they were reserved.
func (s *importedRange) leave() error {
	if s.base == 0 {
		return nil
	}
	err := check(s.drv.MemAddressFree(s.base, uint64(s.size)), "MemAddressFree", s.dev, s.size)
	if err == nil {
		s.base = 0
	}
	return err
}

func (s *importedRange) open(d sharing) (poolimpl.Chunk, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d.means != byHandles || d.pool != s.pool || d.extent != uint64(s.size) {
		return poolimpl.Chunk{}, notShared("it is of another pool")
	}
	_ = s.stale.run() // what fails here is tried again later, and reported when the pool is closed
	at := extent{int64(d.offset), int64(d.offset + d.bytes)}
	err := s.receive()
	switch {
	case s.covers(at):
	case errors.Is(err, errChannelGone):
		return poolimpl.Chunk{}, notShared("its memory has not come, and the exporting pool is closed")
	case err != nil:
		return poolimpl.Chunk{}, err
	default:
		return poolimpl.Chunk{}, notShared("its memory has not come")
	}
	if s.opened[at.from] {
		return poolimpl.Chunk{}, alreadyOpen(d)
	}
	s.opened[at.from] = true
	return poolimpl.Chunk{Addr: uint64(s.base) + d.offset, Origin: d.offset}, nil
}

// covers reports whether devices may use all of an extent.
func (s *importedRange) covers(e extent) bool {
	for i := s.search(e.from); e.from < e.to; i++ {
		if i == len(s.parts) || s.parts[i].from > e.from || !s.parts[i].granted {
			return false
		}
		e.from = s.parts[i].to
	}
	return true
}

// search returns the index of the first part that does not end before an offset.
func (s *importedRange) search(at int64) int {
	i, _ := slices.BinarySearchFunc(s.parts, at, func(p part, at int64) int { return cmp.Compare(p.to, at+1) })
	return i
}

// receive maps the memory that has arrived. A message is removed when all of its memory is mapped; the next call retries what failed.
func (s *importedRange) receive() error {
	for {
		message, fds, err := s.channel.peek()
		if errors.Is(err, errChannelEmpty) {
			return nil
		}
		if err == nil {
			err = s.take(message, fds)
			closeAll(fds)
		}
		if err == nil {
			err = s.channel.skip()
		}
		if err != nil {
			return err
		}
	}
}

// take maps the memory of one message.
func (s *importedRange) take(message []byte, fds []int) error {
	list, err := readExtents(message)
	switch {
	case err != nil:
		return err
	case len(list) != len(fds):
		return badFile("a message of %d handles came with %d", len(list), len(fds))
	}
	for i, e := range list {
		if err := s.place(e, fds[i]); err != nil {
			return err
		}
	}
	return nil
}

// place maps memory to an extent, and lets the devices use it, unless an earlier attempt has done so.
func (s *importedRange) place(e extent, fd int) error {
	i := s.search(e.from)
	if i == len(s.parts) || s.parts[i].extent != e {
		if e.from < 0 || e.to <= e.from || e.to > s.size || i < len(s.parts) && s.parts[i].from < e.to {
			return badFile("a message has memory for %#x up to %#x, which lies outside or on other memory", e.from, e.to)
		}
		if err := s.bring(e, fd); err != nil {
			return err
		}
		s.parts = slices.Insert(s.parts, i, part{extent: e})
	}
	if s.parts[i].granted {
		return nil
	}
	if err := s.allow(s.base+abi.Ptr(e.from), e.to-e.from, s.peers); err != nil {
		return err
	}
	s.parts[i].granted = true
	return nil
}

// bring maps the memory that a descriptor refers to. The mapping keeps the memory, so the handle is released at once.
func (s *importedRange) bring(e extent, fd int) error {
	size := e.to - e.from
	h, r := s.drv.MemImportFD(fd)
	if err := check(r, "MemImportFromShareableHandle", s.dev, size); err != nil {
		return err
	}
	err := check(s.drv.MemMap(s.base+abi.Ptr(e.from), uint64(size), 0, h), "MemMap", s.dev, size)
	s.stale.steps = append(s.stale.steps, func() error { return check(s.drv.MemRelease(h), "MemRelease", s.dev, size) })
	_ = s.stale.run()
	return err
}

// Alloc is never called: the engine refuses to allocate from an imported pool.
func (s *importedRange) Alloc(int64, int64) (poolimpl.Chunk, error) {
	return poolimpl.Chunk{}, poolrt.ErrUnsupported
}

// Free closes a block. Its memory stays mapped, because it is not sent again.
func (s *importedRange) Free(block poolimpl.Chunk) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.opened, int64(block.Origin))
	return nil
}

// end releases everything.
func (s *importedRange) end() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	errs := []error{s.stale.run()}
	s.parts = slices.DeleteFunc(s.parts, func(p part) bool {
		err := check(s.drv.MemUnmap(s.base+abi.Ptr(p.from), uint64(p.to-p.from)), "MemUnmap", s.dev, p.to-p.from)
		errs = append(errs, err)
		return err == nil
	})
	if len(s.parts) == 0 {
		errs = append(errs, s.leave())
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	s.channel.hangUp()
	s.channel.close()
	return nil
}
