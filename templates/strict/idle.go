package strict

import "github.com/poolgen/poolgen/templates/feature"

// A free has to notice that it emptied a chunk, for the pool to give it back. The live blocks of a chunk are not counted, as that
// would be a line of the cache that all write to. Instead, a goroutine that frees the last block of a word looks for a row with a word that is not
// bare, with the help of marks: in a chunk in use the first look finds one.

const _ = feature.Trims // the condition of what stands here

// wordEmpty reports whether a word has no live block.
//
//poolgen:if feature.Trims
func (ch *chunk) wordEmpty(w, word uint64) bool {
	return word&blocks == 0 || w+1 == uint64(len(ch.words)) && word&blocks == ch.absent(w)
}

// clearIdle clears the mark of a word's row if the word was bare before blocks of it were handed out.
//
//poolgen:if feature.Trims
func (ch *chunk) clearIdle(w, old uint64) {
	if ch.wordEmpty(w, old) {
		ch.idle.clear(w / row)
	}
}

// isEmpty reports whether no block of the chunk is live. Of two that free its last two blocks at the same time, one finds it so.
//
//poolgen:if feature.Trims
func (ch *chunk) isEmpty() bool {
	rows := ch.rows()
	for r := ch.idle.next(0, rows); r < rows; r = ch.idle.next(r+1, rows) {
		if !ch.rowEmpty(r) {
			return false
		}
		ch.idle.set(r)
		if !ch.rowEmpty(r) {
			ch.idle.clear(r)
			return false
		}
	}
	return true
}

// rowEmpty looks whether the words of a row are. Sealed ones have no live block, and are unsealed if the chunk stays.
//
//poolgen:if feature.Trims
func (ch *chunk) rowEmpty(r uint64) bool {
	for w := r * row; w < min((r+1)*row, uint64(len(ch.words))); w++ {
		if word := ch.words[w].Load(); word&sealed == 0 && !ch.wordEmpty(w, word) {
			return false
		}
	}
	return true
}
