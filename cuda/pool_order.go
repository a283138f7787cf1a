package cuda

import (
	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// orderedSource is the poolimpl.StreamSource of a pool with ordering driver. Each call is one call of the driver, which orders the memory with the stream.
type orderedSource struct {
	clearedSource
	from asyncSource
}

// AllocOn allocates memory in the order of a stream.
func (s *orderedSource) AllocOn(on poolimpl.Stream, size, align int64) (poolimpl.Chunk, error) {
	at, err := s.from.of(on)
	if err != nil {
		return poolimpl.Chunk{}, err
	}
	if align > driverAlignment {
		return s.allocAligned(on, size, align)
	}
	p, err := s.from.allocOn(at, size, abi.Stream(on.Handle))
	if err != nil {
		return poolimpl.Chunk{}, err
	}
	return poolimpl.Chunk{Addr: uint64(p), Size: size, Origin: uint64(p)}, nil
}

// allocAligned is AllocOn for more than the alignment of the driver.
func (s *orderedSource) allocAligned(on poolimpl.Stream, size, align int64) (poolimpl.Chunk, error) {
	return aligned(size, align, func(n int64) (poolimpl.Chunk, error) { return s.AllocOn(on, n, driverAlignment) })
}

// FreeOn frees memory in the order of a stream.
func (s *orderedSource) FreeOn(on poolimpl.Stream, c poolimpl.Chunk) error {
	if err := s.line.waitCleared(); err != nil {
		return err
	}
	at, err := s.from.of(on)
	if err != nil {
		return err
	}
	return check(at.drv.MemFreeAsync(at.ctx, abi.Ptr(c.Origin), abi.Stream(on.Handle)), "MemFreeAsync", at.dev, c.Size)
}

// FreeBehind frees memory in the order of the stream that it was allocated on. While that stream is being captured, the free is refused, as it must not become part
// of the graph. If the stream was destroyed, only a wait for the whole device covers its work. Then the stream of the source frees the memory.
func (s *orderedSource) FreeBehind(on poolimpl.Stream, c poolimpl.Chunk) error {
	at, err := s.from.of(on)
	if err != nil {
		return err
	}
	if err := at.captured(abi.Stream(on.Handle), "MemFreeAsync"); err != nil {
		return err
	}
	gone, err := at.isGone(on)
	switch {
	case err != nil:
		return err
	case !gone:
		return s.FreeOn(on, c)
	}
	if err := at.syncAll(); err != nil {
		return err
	}
	return s.Free(c)
}

// Observe queries a stream, unless it is being captured or was destroyed: then the query would end the capture, or fail.
func (s *orderedSource) Observe(on poolimpl.Stream) {
	at, err := s.from.of(on)
	if err != nil || at.captured(abi.Stream(on.Handle), "StreamQuery") != nil {
		return
	}
	if gone, err := at.isGone(on); err == nil && !gone {
		at.drv.StreamQuery(at.ctx, abi.Stream(on.Handle))
	}
}

// TrimUnused returns unused memory of the driver's pool to the system.
func (s *orderedSource) TrimUnused() error { return s.from.trim(0) }
