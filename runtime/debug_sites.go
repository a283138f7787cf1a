//go:build pooldebug

package runtime

// sightings adds to the live blocks among some pieces of a chunk when they were handed out, and to whom. A block that took the place of one that was freed
// meanwhile may be taken for it.
func (e *Engine) sightings(pieces []Piece, base uint64, sites *siteTable) {
	w := &e.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range pieces {
		p := &pieces[i]
		if p.State != PieceLive {
			continue
		}
		if b := w.blocks[(base+p.Off)*e.apart()]; b != nil {
			p.Since, p.Site = b.born.at.UnixNano(), sites.of(b.born.stack)
		}
	}
}
