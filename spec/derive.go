package spec

import (
	"fmt"
	"slices"
)

// usualChunk is the default of chunk_size if limits leave room for it.
const usualChunk = 8 << 20

// derive computes values that follow from other keys, in the order alignment, block, bins, chunk, arena: each needs those before it.
func (c *poolCheck) derive() {
	p, info := c.p, allocatorTable[c.p.Allocator]
	if !c.isSet("alignment") {
		p.Alignment = info.alignment
	}
	if p.Allocator == TextureTile && p.ItemForm() && c.nodes["block_size"] == nil {
		p.BlockSize = TileBytes
	}
	p.Granularity = info.granularity
	for _, a := range slices.Concat(p.Others, p.Fallback) { // all granularities are powers of two
		p.Granularity = max(p.Granularity, allocatorTable[a].granularity)
	}
	if c.nodes["max_limit"] == nil {
		p.MaxLimit = p.Limit
	}
	if p.Suballocator.Info().Bins != nil {
		c.expandBins()
	}
	if p.Allocator != NoAllocator {
		c.deriveSizes()
	}
	if c.nodes["on_exhausted"] == nil {
		p.OnExhausted = defaultLadder(p)
	}
}

// deriveSizes sets the sizes of chunks and arenas.
func (c *poolCheck) deriveSizes() {
	p := c.p
	if c.isSet("chunk_size") {
		c.roundChunk()
	} else {
		p.ChunkSize = c.usualChunkSize()
	}
	if p.Suballocator.Info().Arenas && p.ArenaSize == 0 {
		p.ArenaSize = p.ChunkSize
	}
}

// roundChunk rounds a chunk size of the file up to the allocator's granularity.
func (c *poolCheck) roundChunk() {
	p := c.p
	c.rawChunk, p.ChunkSet = p.ChunkSize, true
	p.ChunkSize = roundUp(c.rawChunk, p.Granularity)
	if p.ChunkSize != c.rawChunk {
		c.notes["chunk_size"] = fmt.Sprintf("%s rounded up to a multiple of %s", FormatSize(c.rawChunk), FormatSize(p.Granularity))
	}
}

// ceiling returns the most bytes that the pool may reserve, which is its limit or that of its budget, and names the one that applies.
func (c *poolCheck) ceiling() (most int64, why string) {
	if e := c.file.budgets[c.p.Budget]; e != nil && e.limit < c.p.Limit {
		return e.limit, "budget " + c.p.Budget
	}
	return c.p.Limit, "limit"
}

// usualChunkSize returns the default of chunk_size: the smaller of 8 MiB and the limit, at least one
// block. It is a multiple of the granularity that does not exceed the limit, if there is such a multiple.
func (c *poolCheck) usualChunkSize() int64 {
	p := c.p
	size := int64(usualChunk)
	c.notes["chunk_size"] = "the usual size"
	if ceiling, why := c.ceiling(); ceiling < size {
		size = ceiling - ceiling%p.Granularity
		c.notes["chunk_size"], c.chunkFrom = "all of "+FormatSize(ceiling)+", in whole units of "+FormatSize(p.Granularity), why
	}
	if need, why := c.largestPart(size); need > size {
		size = need
		c.notes["chunk_size"], c.chunkFrom = "one block of "+FormatSize(need), why
	}
	return max(roundUp(size, p.Granularity), p.Granularity)
}

// largestPart returns the size of the largest part that a chunk has to hold, and the key that sets it. An alignment above the chunk does not enlarge
// the chunk: such an alignment is refused.
func (c *poolCheck) largestPart(chunk int64) (need int64, why string) {
	p := c.p
	need, why = p.Stride(), "item"
	if p.Alignment > chunk {
		need = max(p.BlockSize, p.Item.Size)
	}
	if c.nodes["block_size"] != nil {
		why = "block_size"
	}
	info := p.Suballocator.Info()
	if info.binsInChunks() && len(p.Bins) > 0 && c.isSet("bins") && p.Bins[len(p.Bins)-1] > need {
		need, why = p.Bins[len(p.Bins)-1], "bins"
	}
	if info.Arenas && p.ArenaSize > need {
		need, why = p.ArenaSize, "arena_size"
	}
	return need, why
}
