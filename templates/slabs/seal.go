package slabs

// seal keeps all blocks of a slab from being handed out or freed, for the rest of its life. If one of them is live, seal reports false and
// changes nothing. While it runs, free blocks look live.
func (s *slab) seal() bool {
	for w := range uint64(s.words) {
		word := s.word(w)
		for {
			old := word.Load()
			if old&all != s.absent(w) {
				s.unseal(w)
				return false
			}
			if word.CompareAndSwap(old, old|sealed|all) {
				break
			}
		}
	}
	return true
}

// unseal undoes seal for the first n words. It sets the bit of the slab, as a goroutine that has read the slab meanwhile may have cleared
// it.
func (s *slab) unseal(n uint64) {
	for w := range n {
		word := s.word(w)
		word.Store(word.Load()&^(sealed|all) | s.absent(w))
	}
	s.setPartial()
}
