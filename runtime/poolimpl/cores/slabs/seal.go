package slabs

// seal keeps all blocks of a slab from being handed out or freed, for the rest of its life. If one of them is live, seal reports false and
// changes nothing. While it runs, free blocks look live.
func (s *slab) seal() bool {
	for w := range uint32(s.lines) {
		word := &s.line(w).word
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

// unseal undoes seal for the first n lines. It sets their bits, as a goroutine that has read a line meanwhile may have cleared its bit.
func (s *slab) unseal(n uint32) {
	for w := range n {
		word := &s.line(w).word
		word.Store(word.Load()&^(sealed|all) | s.absent(w))
		s.in.list.Load().setPartial(s.firstLine + w)
	}
}
