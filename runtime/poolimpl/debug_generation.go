//go:build pooldebug

package poolimpl

import (
	"fmt"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Generation is that of the block at a place.
func (e *Engine) Generation(place uint64) Generation {
	d := &e.observed.debug
	d.mu.Lock()
	defer d.mu.Unlock()
	if b := d.blocks[place]; b != nil {
		return Generation{b.serial}
	}
	return Generation{}
}

// Stale refuses the generation of a block that is not live any more, whatever has its place now.
func (e *Engine) Stale(g Generation, place uint64) error {
	d := &e.observed.debug
	d.mu.Lock()
	b := d.blocks[place]
	if b != nil && b.serial == g.serial && b.state == blockLive {
		d.mu.Unlock()
		return nil
	}
	text := fmt.Sprintf("the Ref is of block number %d, which is free: a copy of the Ref was released", g.serial)
	for _, known := range []*blockRecord{b, d.recent.blocks[place]} {
		if known != nil && (known == b || known.serial == g.serial) {
			text += known.text("bytes")
		}
	}
	d.mu.Unlock()
	err := e.refused(poolrt.ErrDoubleFree, text)
	err.(*poolrt.PoolError).Op = "release"
	return err
}
