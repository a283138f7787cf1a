package spec

import "strconv"

// limitRows returns rows about the memory that the pool takes, and its capacity.
func limitRows(add func(key, text, note string), plan *Plan, p *Pool, stride int64) {
	if p.ChunkSize == 0 {
		return // numbers take no memory
	}
	ceiling, why := p.Limit, "limit"
	for _, b := range plan.Budgets {
		if b.Name == p.Budget && b.Limit < ceiling {
			ceiling, why = b.Limit, "budget "+b.Name
		}
	}
	first := FormatSize(p.ChunkSize) + " with the first chunk"
	switch {
	case p.Suballocator.Info().Direct:
		first = "what is live"
	case p.Prime > 0:
		first = FormatSize(min(roundUp(p.Prime, p.ChunkSize), ceiling)) + " from the start"
	}
	if ceiling == NoLimit {
		add("footprint", first+", without bound after that", "")
		return
	}
	add("footprint", first+", "+FormatSize(ceiling)+" at most", why)
	if p.Suballocator.Info().Direct || p.Paged() {
		return // its chunks are as large as its blocks, or there is only one, which grows
	}
	why += " " + FormatSize(ceiling)
	if p.Growth == GrowthDouble {
		if p.ItemForm() && stride > 0 {
			add("capacity at the limit", strconv.FormatInt(ceiling/stride, 10)+" blocks", why+", at most")
		}
		return
	}
	chunks, blocks := fill(p, ceiling, stride)
	add("chunks at the limit", strconv.FormatInt(chunks, 10), why)
	if p.ItemForm() && stride > 0 {
		add("capacity at the limit", strconv.FormatInt(blocks, 10)+" blocks", why)
	}
}

// fill counts the chunks of one size that a pool has at its limit, and the blocks in them. The last chunk gets the rest of the limit, if that is
// enough for a block. The number of blocks is 0 if their size is not known.
func fill(p *Pool, ceiling, stride int64) (chunks, blocks int64) {
	chunks = ceiling / p.ChunkSize
	rest := ceiling % p.ChunkSize
	rest -= rest % p.Granularity
	if stride > 0 {
		blocks = chunks*(p.ChunkSize/stride) + rest/stride
	}
	if rest > 0 && (!p.ItemForm() || rest >= stride) {
		chunks++
	}
	return chunks, blocks
}
