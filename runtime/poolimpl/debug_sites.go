//go:build pooldebug

package poolimpl

import poolrt "github.com/poolgen/poolgen/runtime"

// annotate adds to the live blocks among some pieces of a chunk when they were handed out, and to whom. A block that took the place of one that was freed
// meanwhile may be taken for it.
func (e *Engine) annotate(pieces []poolrt.Piece, base uint64, sites *siteTable) {
	d := &e.observed.debug
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range pieces {
		p := &pieces[i]
		if p.State != poolrt.PieceLive {
			continue
		}
		if b := d.blocks[(base+p.Off)*e.spacing()]; b != nil {
			p.Since, p.Site = b.allocatedAt.time.UnixNano(), sites.of(b.allocatedAt.stack)
		}
	}
}
