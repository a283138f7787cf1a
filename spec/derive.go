package spec

import "fmt"

// usualChunk is the default of chunk_size, where limits leave room for it.
const usualChunk = 8 << 20

// derive computes what the file leaves to other keys. Order: alignment, block, bins, chunk, arena; each needs
// those before it.
func (c *poolCheck) derive() {
	p, info := c.p, allocatorTable[c.p.Allocator]
	if !c.isSet("alignment") {
		p.Alignment = info.alignment
	}
	if p.Allocator == TextureTile && p.Suballocator == Fixed && c.nodes["block_size"] == nil {
		p.BlockSize = TileBytes
	}
	p.Granularity = info.granularity
	for _, a := range p.Fallback { // all granularities are powers of two
		p.Granularity = max(p.Granularity, allocatorTable[a].granularity)
	}
	if p.Suballocator == Binned || p.Suballocator == Classes {
		c.expandBins()
	}
	if p.Allocator == NoAllocator {
		return
	}
	if c.isSet("chunk_size") {
		c.roundChunk()
	} else {
		p.ChunkSize = c.usualChunkSize()
	}
	if p.Suballocator == Ring && p.ArenaSize == 0 {
		p.ArenaSize = p.ChunkSize
	}
}

// roundChunk rounds a chunk size of the file up to what the allocator gives.
func (c *poolCheck) roundChunk() {
	p := c.p
	c.rawChunk, p.ChunkSet = p.ChunkSize, true
	p.ChunkSize = roundUp(c.rawChunk, p.Granularity)
	if p.ChunkSize != c.rawChunk {
		c.notes["chunk_size"] = fmt.Sprintf("%s rounded up to a multiple of %s", FormatSize(c.rawChunk), FormatSize(p.Granularity))
	}
}

// ceiling is the most that the pool may reserve: its limit, and that of its budget.
func (c *poolCheck) ceiling() int64 {
	if e := c.file.budgets[c.p.Budget]; e != nil {
		return min(c.p.Limit, e.limit)
	}
	return c.p.Limit
}

// usualChunkSize is the default of chunk_size: the smaller of 8 MiB and the limit, at least one block. It
// is a multiple of the granularity that stays below the limit, where there is one.
func (c *poolCheck) usualChunkSize() int64 {
	p := c.p
	size := int64(usualChunk)
	c.notes["chunk_size"] = "the usual size"
	if ceiling := c.ceiling(); ceiling < size {
		size = ceiling - ceiling%p.Granularity
		c.notes["chunk_size"] = "the limit, whole units of " + FormatSize(p.Granularity)
	}
	if need := c.largestPart(size); need > size {
		size = need
		c.notes["chunk_size"] = "one block of " + FormatSize(need)
	}
	return max(roundUp(size, p.Granularity), p.Granularity)
}

// largestPart is what a chunk has to hold at least once. An alignment above the chunk does not enlarge it: that is
// refused as it stands.
func (c *poolCheck) largestPart(chunk int64) int64 {
	p := c.p
	need := p.Stride()
	if p.Alignment > chunk {
		need = max(p.BlockSize, p.Item.Size)
	}
	if p.Suballocator == Binned && len(p.Bins) > 0 && c.isSet("bins") {
		need = max(need, p.Bins[len(p.Bins)-1])
	}
	if p.Suballocator == Ring {
		need = max(need, p.ArenaSize)
	}
	return need
}
