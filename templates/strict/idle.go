package strict

import (
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/strict"
	"github.com/poolgen/poolgen/templates/feature"
)

// A free has to notice that it emptied a chunk, so that the pool can return the chunk. The live blocks of a chunk are not counted, as all goroutines
// would write to the cache line of the count. Instead, a goroutine that frees the last block of a word looks for a row without a flag that has
// a live block. In a chunk in use, the first row has one as a rule.

const _ = feature.Trims // only directives use it

// wordEmpty reports whether a word has no live block.
//
//poolgen:if feature.Trims
func (ch *chunk) wordEmpty(w, word uint64) bool {
	return word&blocks == 0 || w+1 == uint64(len(ch.Words)) && word&blocks == ch.absent(w)
}

// clearIdle clears the idle flag of a word's row if no block of the word was live before an allocation.
//
//poolgen:if feature.Trims
func (ch *chunk) clearIdle(w, old uint64) {
	if ch.wordEmpty(w, old) {
		ch.idle.Clear(w / strict.Row)
	}
}

// isEmpty reports whether the chunk has no live block. If two goroutines free its last two blocks at the same time, at least one of them gets true.
//
//poolgen:if feature.Trims
func (ch *chunk) isEmpty() bool {
	rows := ch.Count()
	for r := ch.idle.Next(0, rows); r < rows; r = ch.idle.Next(r+1, rows) {
		if !ch.rowEmpty(r) {
			return false
		}
		ch.idle.Set(r)
		if !ch.rowEmpty(r) {
			ch.idle.Clear(r)
			return false
		}
	}
	return true
}

// rowEmpty reports whether no word of a row has a live block. Sealed words have none, and are unsealed if the chunk stays.
//
//poolgen:if feature.Trims
func (ch *chunk) rowEmpty(r uint64) bool {
	for w := r * strict.Row; w < min((r+1)*strict.Row, uint64(len(ch.Words))); w++ {
		if word := ch.Words[w].Load(); word&sealed == 0 && !ch.wordEmpty(w, word) {
			return false
		}
	}
	return true
}
