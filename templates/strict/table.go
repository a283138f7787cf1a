package strict

import "slices"

// table has the chunks for all goroutines. Only its marks change; for all else a new table replaces it.
type table struct {
	only   *chunk   // the only one, or one without blocks if there is none; nil if there are several
	starts []uint64 // where chunks start, ascending
	order  []*chunk // as starts
	slots  []*chunk // by slot; nil: there is none
	full   flags    // by slot, of chunks all whose words have a mark
	count  uint64   // of blocks
	where  directory
}

// Add makes a chunk available. It may hold MaxBlocks blocks at most: growth and the tracking of numbers
// refuse larger ones.
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

// with returns the table with another chunk.
func (t *table) with(ch *chunk) *table {
	list := slices.Clone(t.slots)
	full := t.full
	if n := int(ch.slot) + 1; n > len(list) {
		list = append(list, make([]*chunk, n-len(list))...)
		if n > 64*len(full) { // whatever the old ones say; marks are set again when they are missed
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

// without returns the table without one of its chunks.
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

// emptied returns the table without chunks.
func (t *table) emptied() *table {
	none := &table{slots: make([]*chunk, len(t.slots)), full: t.full}
	return none.indexed()
}

// indexed prepares a new table for searches.
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
