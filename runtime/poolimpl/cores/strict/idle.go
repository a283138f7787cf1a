package strict

// A free has to notice that it emptied a chunk, so that the pool can return the chunk. The live blocks of a chunk are not counted, as all goroutines
// would write to the cache line of the count. Instead, a goroutine that frees the last block of a word looks for a row without a flag that has
// a live block. In a chunk in use, the first row has one as a rule.

// IsIdle reports whether a word has no live block.
func (ch *Chunk) IsIdle(w, word uint64) bool { return word&ch.blocks == ch.absent(w) }

// isEmpty reports whether the chunk has no live block. If two goroutines free its last two blocks at the same time, at least one of them gets true.
func (ch *Chunk) isEmpty() bool {
	rows := ch.Count()
	for r := ch.Idle.Next(0, rows); r < rows; r = ch.Idle.Next(r+1, rows) {
		if !ch.rowEmpty(r) {
			return false
		}
		ch.Idle.Set(r)
		if !ch.rowEmpty(r) {
			ch.Idle.Clear(r)
			return false
		}
	}
	return true
}

// rowEmpty reports whether no word of a row has a live block. Sealed words have none, and are unsealed if the chunk stays.
func (ch *Chunk) rowEmpty(r uint64) bool {
	for w := r * Row; w < min((r+1)*Row, uint64(len(ch.Words))); w++ {
		if word := ch.Words[w].Load(); word&Sealed == 0 && !ch.IsIdle(w, word) {
			return false
		}
	}
	return true
}
