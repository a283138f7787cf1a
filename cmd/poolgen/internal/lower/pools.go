package lower

import (
	"slices"

	"github.com/poolgen/poolgen/spec"
)

// newPool decides what depends on the pool file alone: everything except the suballocator and what refers to it.
func (pkg *Package) newPool(s *spec.Pool) *Pool {
	p := &Pool{
		Spec: s, Files: FilesOf(s), Names: NamesOf(s), Item: ItemOf(s), Granule: s.Granule(), Slabs: s.SlabBins(),
		Can: Can{
			Free: s.Frees(), Mark: s.Marks(), Reset: s.Resets(), Drop: s.Drops(), FreeAsync: s.Streams() && s.Frees(), OnStream: s.AllocsOnStreams() && s.Frees(),
			Share: s.Shareable, View: s.Views(), Find: s.Finds(spec.LookupAddress), Index: s.Finds(spec.LookupIndex), Handle: s.Finds(spec.LookupHandle),
			Classes:    s.Suballocator.Info().Bins != nil || len(s.SlabBins()) > 0,
			EachDevice: s.Device.Kind == spec.EachDevice,
		},
	}
	p.Lends = pkg.Plan.Lends(s.Name)
	p.Default = pkg.Plan.Owns(s)
	if at := slices.IndexFunc(pkg.Budgets, func(b Budget) bool { return b.Spec.Name == s.Budget }); at >= 0 {
		p.Budget = &pkg.Budgets[at]
	}
	p.Stride = p.stride()
	p.OneChunk, p.PerWord, p.PreferUsed = s.OneChunk(), p.perWord(), p.preferUsed()
	if s.Tests {
		p.Trial = p.trial()
	}
	return p
}

// Numbers reports whether the pool hands out numbers, not memory.
func (p *Pool) Numbers() bool { return p.Spec.Allocator.Memory() == spec.NumberMemory }

// Tiled reports whether the pool hands out tiles for sparse textures.
func (p *Pool) Tiled() bool { return p.Spec.Allocator.Memory() == spec.TileMemory }

// OnDevice reports whether blocks are addresses of a device.
func (p *Pool) OnDevice() bool { return p.Spec.Allocator.Memory() == spec.DeviceSpans }

// OnHost reports whether Go code can read and write blocks.
func (p *Pool) OnHost() bool { return p.Spec.Allocator.Memory() == spec.HostMemory }

// Locked reports whether any goroutine may call at any time. Blocks of the driver are counted without a lock of the pool, so there it costs nothing.
func (p *Pool) Locked() bool { return p.Spec.Concurrency != spec.Unlocked || p.Spec.ByDriver() }

// owns reports whether processors own the words of blocks that they allocate from: where the fast path does no more than to hand out and free blocks.
func (p *Pool) owns() bool {
	s := p.Spec
	return s.Suballocator == spec.Fixed && s.Shared() && s.Magazine == 0 && s.Sleep == nil && s.Zero != spec.ZeroAlways &&
		!s.TrimsOnFree() && !p.Can.FreeAsync && !p.samples() && !p.ClearsOnDevice()
}

// ClearsOnDevice reports whether the device clears the block of each allocation. What the driver hands out by itself may have been used before, so there
// the first time is every time.
func (p *Pool) ClearsOnDevice() bool {
	return p.OnDevice() && (p.Spec.Zero == spec.ZeroAlways || p.Spec.Zero == spec.ZeroFirst && p.Spec.ByDriver())
}

// stride is the distance of neighbouring blocks.
func (p *Pool) stride() Size {
	align := max(p.Spec.Alignment, 1)
	switch {
	case p.Numbers():
		return known(1)
	case p.Spec.BlockSize > 0:
		return known(roundUp(p.Spec.BlockSize, align))
	case p.Item.Size.Known > 0:
		return known(roundUp(p.Item.Size.Known, align))
	}
	return Size{Of: p.Item.Size.Of, Up: align}
}

// mostBlocks is the largest number of blocks of a chunk that an index distinguishes: three values have another meaning.
const mostBlocks = 1<<32 - 3

// perWord returns how many blocks a word of the bitmap stands for. Blocks that can be pending take two bits.
func (p *Pool) perWord() int {
	if p.Can.FreeAsync {
		return 16
	}
	return 32
}

// preferUsed: chunks of the wrong size have to make room for others, so it pays to keep empty ones whole.
func (p *Pool) preferUsed() bool {
	s, info := p.Spec, p.Spec.Suballocator.Info()
	return info.Heap && info.Bins == nil && s.Trim != nil && !s.TrimsOnFree() && !s.Paged() && !s.Shared()
}

// chunkKnown reports whether the chunk size is a number here. It is not if it depends on the size of a user's type.
func (p *Pool) chunkKnown() bool {
	return p.Spec.ChunkSet || !p.Spec.ItemForm() || p.Stride.Known > 0
}

// measureChunks decides how large chunks are. If that depends on a user's type, the suballocator's constant for the distance of blocks stands for the
// size.
func (p *Pool) measureChunks() {
	switch {
	case p.Numbers():
	case p.chunkKnown():
		p.Chunk = known(p.Spec.ChunkSize)
	default: // a block may be larger than the usual chunk
		p.Chunk = Size{Of: p.Core.Stride, Up: p.Spec.Granularity, Least: p.Spec.ChunkSize}
	}
	p.MaxChunk = p.maxChunk()
}

// maxChunk returns the largest chunk whose blocks the suballocator can index.
func (p *Pool) maxChunk() Size {
	const widest = 1 << 31 // blocks above do not reach the bound
	switch grows := p.Numbers() || p.Spec.Growth == spec.GrowthDouble || p.Spec.ChunkSize > mostBlocks; {
	case !grows:
		return Size{}
	case p.Spec.ItemForm() && p.Stride.Known > 0:
		return known(mostBlocks * min(p.Stride.Known, widest))
	case p.Spec.ItemForm():
		return Size{Of: p.Core.Stride, Most: widest, Times: mostBlocks}
	case p.Spec.Suballocator.Info().Heap:
		return known(roundDown((1<<32-1)*p.Granule, p.Spec.Granularity))
	}
	return Size{}
}
