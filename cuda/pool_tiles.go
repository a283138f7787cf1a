package cuda

import (
	"fmt"
	"math/bits"
	"sync"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// TileBytes is the size in bytes of a tile of a sparse array, whatever its format and shape.
const TileBytes = 64 << 10

// bind is allocator texture_tile: physical memory for tiles of sparse arrays, which cannot be mapped to addresses.
func (TileMemory) bind(m Allocator, at site, _ poolimpl.Binding) (poolimpl.Bound, error) {
	props := abi.MemoryProps{Location: abi.LocationDevice, ID: int32(at.dev), TilePool: true}
	unit, r := at.drv.MemGetAllocationGranularity(props, true)
	if err := check(r, "MemGetAllocationGranularity", at.dev, 0); err != nil {
		return poolimpl.Bound{}, err
	}
	whole := (int64(unit) + TileBytes - 1) / TileBytes * TileBytes
	return poolimpl.Bound{Source: tileSource{at, props}, Granularity: whole}, nil
}

// tileSource supplies chunks with a handle, Origin, and a range of numbers instead of addresses.
type tileSource struct {
	site
	props abi.MemoryProps
}

func (s tileSource) Alloc(size, align int64) (poolimpl.Chunk, error) {
	h, r := s.drv.MemCreate(uint64(size), s.props)
	if err := check(r, "MemCreate", s.dev, size); err != nil {
		return poolimpl.Chunk{}, err
	}
	n, ok := tileNumbers.take(uint64(size), uint64(align))
	if !ok {
		err := fmt.Errorf("%w: the numbers for tiles, %d bytes of them in all, are used up", poolrt.ErrOutOfMemory, int64(lastNumber))
		return poolimpl.Chunk{Size: size, Origin: uint64(h)}, err // the pool returns the chunk
	}
	return poolimpl.Chunk{Addr: n, Size: size, Origin: uint64(h)}, nil
}

// Free releases the memory. The driver keeps it as long as a part of it is bound to a sparse array.
func (s tileSource) Free(c poolimpl.Chunk) error {
	return check(s.drv.MemRelease(abi.Memory(c.Origin)), "MemRelease", s.dev, c.Size)
}

// numbering hands out ranges of numbers that stand for addresses. It hands out no number twice in a process: a block that was freed with its chunk,
// or that belongs to another pool, is never taken for a live one.
type numbering struct {
	mu   sync.Mutex
	next uint64
}

// tileNumbers is the numbering of all pools of tiles.
var tileNumbers numbering

// The range of numbers: from far above 0, which means no block, to the largest int64. At 64 KiB per microsecond they last for four years.
const (
	firstNumber = 1 << 40
	lastNumber  = 1<<63 - 1
)

// take returns the start of a range. It is a multiple of align and of the least power of two that is not below size: within the
// chunk, an offset is as aligned as its number.
func (n *numbering) take(size, align uint64) (start uint64, ok bool) {
	align = max(align, 1<<bits.Len64(size-1))
	n.mu.Lock()
	defer n.mu.Unlock()
	start = (max(n.next, firstNumber) + align - 1) &^ (align - 1)
	if start > lastNumber || size > lastNumber-start {
		return 0, false
	}
	n.next = start + size
	return start, true
}
