//go:build pooldebug

package runtime

import "fmt"

// Ticket is that of the block at a place.
func (e *Engine) Ticket(place uint64) Ticket {
	w := &e.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	if b := w.blocks[place]; b != nil {
		return Ticket{b.serial}
	}
	return Ticket{}
}

// Stale refuses the ticket of a block that is not live any more, whatever has its place now.
func (e *Engine) Stale(t Ticket, place uint64) error {
	w := &e.watch
	w.mu.Lock()
	b := w.blocks[place]
	if b != nil && b.serial == t.serial && b.state == blockLive {
		w.mu.Unlock()
		return nil
	}
	text := fmt.Sprintf("the Ref is of block number %d, which is free: a copy of the Ref was released", t.serial)
	for _, known := range []*sighting{b, w.past.blocks[place]} {
		if known != nil && (known == b || known.serial == t.serial) {
			text += known.text("bytes")
		}
	}
	w.mu.Unlock()
	err := e.refused(ErrDoubleFree, text)
	err.(*PoolError).Op = "release"
	return err
}
