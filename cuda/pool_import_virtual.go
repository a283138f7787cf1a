package cuda

import (
	"cmp"
	"errors"
	"slices"
	"sync"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/runtime"
)

// importedRange is the reservation of another process, with as many addresses of our own. Physical memory that comes by the channel is
// mapped at the same offsets, and stays so until the pool is closed, as it does over there.
type importedRange struct {
	site
	hello
	channel channel
	base    abi.Ptr
	peers   []int // devices that may read and write

	mu     sync.Mutex
	parts  []part          // that memory is mapped to, ascending
	opened map[uint64]bool // blocks, by their offset
	stale  ending          // gives back handles of memory that is mapped, or will not be
}

// part is a piece of the reservation with memory.
type part struct {
	piece
	granted bool // the devices may use it
}

// reservation imports a pool of virtual memory.
func (m importing) reservation(_ Allocator, at site, _ runtime.Binding) (runtime.Bound, error) {
	s := &importedRange{site: at, peers: append([]int{int(at.dev)}, m.Peers...), opened: map[uint64]bool{}}
	err := onFile(m.file, func(fd int) (err error) {
		s.channel, err = openChannel(fd)
		return err
	})
	if err != nil {
		return runtime.Bound{}, err
	}
	if err := s.begin(); err != nil {
		s.channel.close() // and not hung up: the file is as it was, and another try may do
		return runtime.Bound{}, err
	}
	end := &ending{[]func() error{s.end}}
	return runtime.Bound{Source: s, Driver: s, Close: end.run}, nil
}

// begin reserves the addresses that the first message asks for. That message is taken away only then.
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
	if s.size == 0 || s.size%unit != 0 || s.size > 1<<62 {
		return badFile("a reservation of %d bytes, where pages have %d", s.size, unit)
	}
	if s.base, r = s.drv.MemAddressReserve(s.size, unit); r != abi.Success {
		return check(r, "MemAddressReserve", s.dev, int64(s.size))
	}
	if err := s.channel.skip(); err != nil {
		return errors.Join(err, check(s.drv.MemAddressFree(s.base, s.size), "MemAddressFree", s.dev, int64(s.size)))
	}
	return nil
}

func (s *importedRange) open(d sharing) (runtime.Chunk, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d.means != byHandles || d.pool != s.pool || d.extent != s.size {
		return runtime.Chunk{}, notShared("it is of another pool")
	}
	_ = s.stale.run() // what fails here is tried again later, and told when the pool is closed
	err := s.receive()
	switch {
	case s.covers(d.offset, d.bytes):
	case errors.Is(err, errChannelGone):
		return runtime.Chunk{}, notShared("its memory has not come, and the exporting pool is closed")
	case err != nil:
		return runtime.Chunk{}, err
	default:
		return runtime.Chunk{}, notShared("its memory has not come")
	}
	if s.opened[d.offset] {
		return runtime.Chunk{}, alreadyOpen(d)
	}
	s.opened[d.offset] = true
	return runtime.Chunk{Addr: uint64(s.base) + d.offset, Origin: d.offset}, nil
}

// covers reports whether devices may use all of a part.
func (s *importedRange) covers(from, size uint64) bool {
	i := s.search(from)
	if i > 0 && s.parts[max(i, 1)-1].end() > from {
		i--
	}
	for at := from; at < from+size; i++ {
		if i == len(s.parts) || s.parts[i].from > at || !s.parts[i].granted {
			return false
		}
		at = s.parts[i].end()
	}
	return true
}

func (p piece) end() uint64 { return p.from + p.size }

// search is the index of the first part that does not begin before an offset.
func (s *importedRange) search(from uint64) int {
	i, _ := slices.BinarySearchFunc(s.parts, from, func(p part, from uint64) int { return cmp.Compare(p.from, from) })
	return i
}

// receive maps the memory that has come. A message is taken away when all of it is mapped: what fails is tried again by the next call.
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
	list, err := readPieces(message)
	switch {
	case err != nil:
		return err
	case len(list) != len(fds):
		return badFile("a message of %d handles came with %d", len(list), len(fds))
	}
	for i, p := range list {
		if err := s.place(p, fds[i]); err != nil {
			return err
		}
	}
	return nil
}

// place maps one piece, and lets the devices use it, as far as that was not done by an earlier try.
func (s *importedRange) place(p piece, fd int) error {
	i := s.search(p.from)
	if i == len(s.parts) || s.parts[i].piece != p {
		if !s.vacant(i, p) {
			return badFile("a message has memory for %d bytes at %#x, which lies outside or on other memory", p.size, p.from)
		}
		if err := s.bring(p, fd); err != nil {
			return err
		}
		s.parts = slices.Insert(s.parts, i, part{piece: p})
	}
	if s.parts[i].granted {
		return nil
	}
	for _, d := range s.peers {
		r := s.drv.MemSetAccess(s.base+abi.Ptr(p.from), p.size, d, abi.AccessReadWrite)
		if err := check(r, "MemSetAccess", s.dev, int64(p.size)); err != nil {
			return err
		}
	}
	s.parts[i].granted = true
	return nil
}

// vacant reports whether a piece lies in the reservation and on no part. i is where it belongs among these.
func (s *importedRange) vacant(i int, p piece) bool {
	return p.size > 0 && p.from < s.size && p.size <= s.size-p.from &&
		(i == 0 || s.parts[i-1].end() <= p.from) && (i == len(s.parts) || p.end() <= s.parts[i].from)
}

// bring maps the memory that a descriptor stands for. The mapping keeps it, so the handle goes back at once.
func (s *importedRange) bring(p piece, fd int) error {
	h, r := s.drv.MemImportFD(fd)
	if err := check(r, "MemImportFromShareableHandle", s.dev, int64(p.size)); err != nil {
		return err
	}
	err := check(s.drv.MemMap(s.base+abi.Ptr(p.from), p.size, 0, h), "MemMap", s.dev, int64(p.size))
	s.stale.steps = append(s.stale.steps, func() error { return check(s.drv.MemRelease(h), "MemRelease", s.dev, int64(p.size)) })
	_ = s.stale.run()
	return err
}

// Alloc is never called: the engine refuses to allocate from an imported pool.
func (s *importedRange) Alloc(int64, int64) (runtime.Chunk, error) {
	return runtime.Chunk{}, runtime.ErrUnsupported
}

// Free closes a block. Its memory stays mapped: it does not come again.
func (s *importedRange) Free(block runtime.Chunk) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.opened, block.Origin)
	return nil
}

// end gives everything back.
func (s *importedRange) end() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	errs := []error{s.stale.run()}
	s.parts = slices.DeleteFunc(s.parts, func(p part) bool {
		err := check(s.drv.MemUnmap(s.base+abi.Ptr(p.from), p.size), "MemUnmap", s.dev, int64(p.size))
		errs = append(errs, err)
		return err == nil
	})
	if len(s.parts) == 0 && s.base != 0 {
		err := check(s.drv.MemAddressFree(s.base, s.size), "MemAddressFree", s.dev, int64(s.size))
		if errs = append(errs, err); err == nil {
			s.base = 0
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	s.channel.hangUp()
	s.channel.close()
	return nil
}
