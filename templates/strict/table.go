package strict

import "slices"

// table has the chunks, for all goroutines. Only its flags change. For any other change a new table replaces it.
type table struct {
	only   *chunk   // the only chunk, or one without blocks if there is none; nil if there are several
	starts []uint64 // addresses of chunks, ascending
	order  []*chunk // in the order of starts
	slots  []*chunk // by slot; nil where there is none
	full   flags    // by slot: chunks whose rows all had no free block
	count  uint64   // of blocks
	where  directory
}

// Add makes a chunk available, of at most [MaxBlocks] blocks: the engine adds no larger one.
func (c *Core) Add(slot uint32, base, size uint64) {
	count := size / blockSize
	if count > MaxBlocks {
		panic("poolgen: chunk has more blocks than its words can be numbered for")
	}
	t := c.table.Load()
	if t == nil {
		t = new(table)
	}
	t = t.with(newChunk(slot, base, count))
	c.table.Store(t)
	t.full.clear(uint64(slot))
	c.gate.open()
}

// with returns a copy of the table with one more chunk.
func (t *table) with(ch *chunk) *table {
	list := slices.Clone(t.slots)
	full := t.full
	if n := int(ch.slot) + 1; n > len(list) {
		list = append(list, make([]*chunk, n-len(list))...)
		if n > 64*len(full) { // flags are lost, and set again by searches
			full = newFlags(2 * uint64(n))
		}
	}
	list[ch.slot] = ch
	at, _ := slices.BinarySearch(t.starts, ch.base)
	more := &table{
		starts: slices.Insert(slices.Clone(t.starts), at, ch.base),
		order:  slices.Insert(slices.Clone(t.order), at, ch),
		slots:  list,
		full:   full,
		count:  t.count + ch.count,
	}
	return more.indexed()
}

// without returns a copy of the table without one of its chunks.
func (t *table) without(ch *chunk) *table {
	list := slices.Clone(t.slots)
	list[ch.slot] = nil
	at := slices.Index(t.order, ch)
	fewer := &table{
		starts: slices.Delete(slices.Clone(t.starts), at, at+1),
		order:  slices.Delete(slices.Clone(t.order), at, at+1),
		slots:  list,
		full:   t.full,
		count:  t.count - ch.count,
	}
	return fewer.indexed()
}

// emptied returns a table without chunks for the same slots.
func (t *table) emptied() *table {
	none := &table{slots: make([]*chunk, len(t.slots)), full: t.full}
	return none.indexed()
}

// chunkOf returns the chunk that contains an address. For an address in no chunk it returns any. It is small enough to be inlined.
func (t *table) chunkOf(addr uint64) *chunk {
	if t.only != nil {
		return t.only
	}
	return t.search(addr)
}

// indexed prepares a new table for searches, and returns it.
func (t *table) indexed() *table {
	switch len(t.order) {
	case 0:
		t.only = new(chunk)
	case 1:
		t.only = t.order[0]
	default:
		t.where = newDirectory(t.starts)
	}
	return t
}
