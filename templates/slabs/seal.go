package slabs

// seal keeps all blocks from being handed out or taken back, forever, unless one of them is live: then it changes nothing and reports
// false. While it is at work, free blocks look live.
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

// unseal undoes seal for the first n words. A goroutine that has read the slab meanwhile may have cleared its mark.
func (s *slab) unseal(n uint64) {
	for w := range n {
		word := s.word(w)
		word.Store(word.Load()&^(sealed|all) | s.absent(w))
	}
	s.setPartial()
}
