package spec

import "fmt"

// checkChunk refuses a chunk_size that cannot hold one block as the file sets it: rounding it up would hide that the pool differs from the file.
func (c *poolCheck) checkChunk() {
	p := c.p
	stride := p.Stride()
	if !p.ChunkSet || stride <= c.rawChunk || p.Alignment > p.ChunkSize {
		return
	}
	what, blocks := "block", int64(16)
	if !p.ItemForm() {
		what = "item"
	}
	better := roundUp(blocks*stride, p.Granularity)
	if ceiling, _ := c.ceiling(); better > min(usualChunk, ceiling) {
		better = roundUp(stride, p.Granularity)
	}
	many := ""
	if n := better / stride; n > 1 {
		many = fmt.Sprintf(" (%d %ss)", n, what)
	} else {
		many = " (one " + what + ")"
	}
	c.fail(codeChunkBlock, c.at("chunk_size"), "use chunk_size: "+FormatSize(better)+many+", or leave it out",
		"chunk_size %s cannot hold one %s of %d bytes", FormatSize(c.rawChunk), what, stride)
	c.bad["chunk_size"] = true
}

// checkLimit refuses a limit that leaves no room for a single chunk.
func (c *poolCheck) checkLimit() {
	p := c.p
	if p.Limit >= p.ChunkSize {
		return
	}
	n := c.at("limit", "chunk_size")
	chunk := FormatSize(p.ChunkSize)
	switch {
	case p.ChunkSize == p.Granularity:
		c.fail(codeLimitChunk, n, "raise limit to "+chunk+" at least", "limit %s is below the smallest chunk of allocator %s, %s",
			FormatSize(p.Limit), allocatorText(p), chunk)
	case p.ChunkSet:
		help := "raise limit to " + chunk
		if room := p.Limit - p.Limit%p.Granularity; room >= max(p.Stride(), 1) {
			help = "lower chunk_size to " + FormatSize(room) + " at most, or " + help
		}
		d := c.fail(codeLimitChunk, n, help, "limit %s is below one chunk of %s", FormatSize(p.Limit), chunk)
		c.noteAt(d, c.at("chunk_size"), "chunk_size is set here")
	default:
		c.fail(codeLimitChunk, n, "raise limit to "+chunk+" at least", "limit %s is below one chunk, which takes %s to hold one block",
			FormatSize(p.Limit), chunk)
	}
}

// checkMaxLimit refuses a largest limit below the one that the pool begins with.
func (c *poolCheck) checkMaxLimit() {
	p := c.p
	if p.MaxLimit >= p.Limit {
		return
	}
	most, limit := p.amount(p.MaxLimit), p.amount(p.Limit)
	help := "raise max_limit to " + limit + " at least, or lower limit to " + most
	if p.Limit == NoLimit {
		help = "add limit: " + most + ", or leave max_limit out"
	}
	d := c.fail(codeMaxLimit, c.at("max_limit"), help, "max_limit %s is below limit %s", most, limit)
	if c.isSet("limit") {
		c.noteAt(d, c.at("limit"), "limit is set here")
	}
	c.bad["max_limit"] = true // rules that depend on it would only repeat the finding
}

// checkBelowLimit refuses sizes that would need a higher limit. What the pool reserves at the start is bounded by limit, the rest by what may become of it.
func (c *poolCheck) checkBelowLimit() {
	p := c.p
	most, key := p.amount(p.MaxLimit), "limit"
	if c.isSet("max_limit") {
		key = "max_limit"
	}
	if c.isSet("prime") && p.Prime > p.Limit {
		text := p.amount(p.Limit)
		c.fail(codeLimits, c.at("prime"), "lower prime to "+text+" at most, or raise limit to "+FormatSize(p.Prime), "prime %s is above limit %s", FormatSize(p.Prime), text)
	}
	if c.isSet("soft_limit") && p.SoftLimit > p.MaxLimit {
		soft := p.amount(p.SoftLimit)
		c.fail(codeLimits, c.at("soft_limit"), "lower soft_limit to "+most+" at most, or raise "+key+" to "+soft, "soft_limit %s is above %s %s", soft, key, most)
	}
	if c.isSet("trim") && p.Trim != nil && p.Trim.Keep > p.MaxLimit {
		c.fail(codeLimits, c.at("trim"), "lower keep, or leave trim out", "trim: keep %s is above %s %s", FormatSize(p.Trim.Keep), key, most)
	}
	if c.isSet("min_split") && p.Allocator == NoAllocator && p.MinSplit > p.MaxLimit {
		c.fail(codeParts, c.at("min_split"), "use a smaller min_split", "min_split %d is above %s %s", p.MinSplit, key, most)
	}
}

// checkSleep refuses backing for all pages of a pool that may have any number of them.
func (c *poolCheck) checkSleep() {
	if s := c.p.Sleep; s != nil && s.Prime && s.primed(c) == NoLimit {
		c.fail(codeLimits, c.at("sleep"), "add limit: 1GiB, or leave prime out", "sleep: prime obtains memory of the host for all that the pool may hold, and there is no limit")
	}
}

// primed returns the bytes of the host that a pool obtains when it is opened; NoLimit if nothing bounds them.
func (s *Sleep) primed(c *poolCheck) int64 {
	most, _ := c.ceiling()
	switch {
	case !s.Prime:
		return 0
	case most == NoLimit:
		return NoLimit
	case s.Backing == BackingStaged:
		return min(most+2*min(s.Batch, maxSize), maxSize)
	}
	return most
}

// checkBins compares the largest bin with the chunk that its blocks are cut from.
func (c *poolCheck) checkBins() {
	p := c.p
	if !p.Suballocator.Info().binsInChunks() || p.Allocator == NoAllocator || len(p.Bins) == 0 {
		return
	}
	largest := p.Bins[len(p.Bins)-1]
	if largest <= p.ChunkSize {
		return
	}
	at := c.at("bins", "chunk_size", "alignment")
	if n := len(c.bins.at); n > 0 {
		at = c.bins.at[n-1]
	}
	d := c.fail(codeBinChunk, at, "use chunk_size: "+FormatSize(roundUp(8*largest, p.Granularity))+" (8 blocks), or smaller bins",
		"bins: the largest, %s, does not fit a chunk of %s", FormatSize(largest), FormatSize(p.ChunkSize))
	if p.ChunkSet && c.nodes["bins"] != nil {
		c.noteAt(d, c.at("chunk_size"), "chunk_size is set here")
	}
}

// checkParts refuses parts of a chunk that are larger than the chunk, or too small for one item.
func (c *poolCheck) checkParts() {
	p := c.p
	if c.isSet("arena_size") {
		switch stride := p.Stride(); {
		case p.ArenaSize > p.ChunkSize:
			c.fail(codeParts, c.at("arena_size"), "use arena_size: "+FormatSize(p.ChunkSize)+" at most, or a larger chunk_size",
				"arena_size %s is above the chunk, %s", FormatSize(p.ArenaSize), FormatSize(p.ChunkSize))
		case p.Allocator == TextureTile && p.ArenaSize%TileBytes != 0:
			c.fail(codeParts, c.at("arena_size"), "use arena_size: "+FormatSize(roundUp(p.ArenaSize, TileBytes)),
				"arena_size %s is not a whole number of tiles of %s", FormatSize(p.ArenaSize), FormatSize(TileBytes))
		case p.ArenaSize < stride:
			c.fail(codeParts, c.at("arena_size"), "use a larger arena_size, or leave it out", "arena_size %s cannot hold one item of %d bytes", FormatSize(p.ArenaSize), stride)
		}
	}
	if c.isSet("min_split") && p.ChunkSize > 0 && p.MinSplit > p.ChunkSize {
		c.fail(codeParts, c.at("min_split"), "use a smaller min_split, or suballocator: none where blocks are never split",
			"min_split %s is above the chunk, %s", FormatSize(p.MinSplit), FormatSize(p.ChunkSize))
	}
}
