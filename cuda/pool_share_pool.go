package cuda

import (
	"fmt"
	"os"
	"sync"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// poolExport shares a pool of the driver, and pointers into it, with other processes.
type poolExport struct {
	site
	identity
	handle abi.Pool

	mu     sync.Mutex
	public bool               // the pool itself was exported: before, the driver exports no pointer
	tokens map[uint64]PoolPtr // by the address of the driver's memory of a chunk: a description is exported once for each chunk
}

func (x *poolExport) export() (*os.File, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.publish()
}

func (x *poolExport) publish() (*os.File, error) {
	f, err := MemPool{uintptr(x.handle), x.dev}.Export()
	x.public = x.public || err == nil
	return f, err
}

func (x *poolExport) share(c poolimpl.Chunk, addr, _ uint64) (sharing, bool, error) {
	d := sharing{means: byPool, pool: x.pool, device: x.device,
		chunk: c.Origin, extent: c.Addr - c.Origin + uint64(c.Size), offset: addr - c.Origin}
	x.mu.Lock()
	defer x.mu.Unlock()
	token, known := x.tokens[c.Origin]
	if !known {
		if !x.public {
			f, err := x.publish()
			if err != nil {
				return d, false, err
			}
			_ = f.Close() // it is not needed
		}
		var err error
		if token, err = ExportPointer(DevicePtr(c.Origin)); err != nil {
			return d, false, err
		}
		x.tokens[c.Origin] = token
	}
	d.token = token
	return d, true, nil
}

// importedPool is the pool of another process: its chunks are opened with their first block, and closed with the last.
type importedPool struct {
	site
	pool abi.Pool

	mu     sync.Mutex
	from   [16]byte                  // the exporting pool, known after the first block
	chunks map[uint64]*importedChunk // open chunks, by their addresses in the exporting process
	opened map[uint64]bool           // blocks, by their addresses in this process
}

// importedChunk is memory of the other process.
type importedChunk struct {
	at     abi.Ptr
	extent uint64
	blocks int // that are open
}

func (s *importedPool) open(d sharing) (poolimpl.Chunk, error) {
	if d.means != byPool {
		return poolimpl.Chunk{}, notShared("it is of a pool of another allocator")
	}
	if err := s.elsewhere(d.device); err != nil {
		return poolimpl.Chunk{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.chunk(d)
	if err != nil {
		return poolimpl.Chunk{}, err
	}
	at := uint64(c.at) + d.offset
	if s.opened[at] {
		return poolimpl.Chunk{}, alreadyOpen(d)
	}
	s.opened[at] = true
	c.blocks++
	return poolimpl.Chunk{Addr: at, Origin: d.chunk}, nil
}

// alreadyOpen is the error of opening a block for the second time.
func alreadyOpen(d sharing) error {
	return fmt.Errorf("%w: one that starts there, at %#x+%#x, is open already: free it first", poolrt.ErrLive, d.chunk, d.offset)
}

// chunk returns the memory of a block, and opens it if no other block in it is open.
func (s *importedPool) chunk(d sharing) (*importedChunk, error) {
	if s.from != d.pool && s.from != [16]byte{} {
		return nil, notShared("it is of another pool")
	}
	if c := s.chunks[d.chunk]; c != nil {
		if c.extent != d.extent {
			return nil, notShared("it is of another state of the pool")
		}
		return c, nil
	}
	p, r := s.drv.MemPoolImportPointer(s.pool, d.token)
	switch err := check(r, "MemPoolImportPointer", s.dev, int64(d.extent)); {
	case r == abi.InvalidValue:
		return nil, notShared("the driver knows no such memory of the pool: the block is of another pool, or was freed: %w", err)
	case err != nil:
		return nil, err
	}
	c := &importedChunk{at: p, extent: d.extent}
	s.chunks[d.chunk], s.from = c, d.pool
	return c, nil
}

// Alloc is never called: the engine refuses to allocate from an imported pool.
func (s *importedPool) Alloc(int64, int64) (poolimpl.Chunk, error) {
	return poolimpl.Chunk{}, poolrt.ErrUnsupported
}

// Free closes a block, and with the last block its chunk. No work may be pending on either: the driver frees imported memory at once.
func (s *importedPool) Free(block poolimpl.Chunk) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.chunks[block.Origin]
	if c.blocks == 1 {
		if err := check(s.drv.MemFree(s.ctx, c.at), "MemFree", s.dev, int64(c.extent)); err != nil {
			return err
		}
		delete(s.chunks, block.Origin)
	}
	c.blocks--
	delete(s.opened, block.Addr)
	return nil
}
