//go:build pooldebug

package poolimpl

import (
	"fmt"

	"github.com/poolgen/poolgen/internal/figure"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/registry"
	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// explain tells what is known of an address that was refused: the block that is or was there, a live block of another pool, or the block that the address
// lies in or next to. It locks the state of other pools, so the caller does not hold d.mu.
func (d *debugState) explain(e *Engine, place uint64) string {
	if text := d.describeAt(place); text != "" {
		return text
	}
	if !e.generated.numbers() { // each pool has its own numbers
		for _, other := range registry.All[*Engine]() {
			if other == e || other.generated.numbers() {
				continue
			}
			if text := other.observed.debug.livesAt(place); text != "" {
				return "; it is a live block of " + other.name.get() + text
			}
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.beside(place, e.generated.reach(d.spacing))
}

// describeAt describes the block that is or was at a place; "" if none.
func (d *debugState) describeAt(place uint64) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if b := d.blocks[place]; b != nil {
		return b.text("bytes")
	}
	if b := d.recent.at(place); b != nil {
		return b.text("bytes")
	}
	return ""
}

// livesAt describes the live block at a place; "" if there is none.
func (d *debugState) livesAt(place uint64) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if b := d.blocks[place]; b != nil && b.state == blockLive {
		return b.text("bytes")
	}
	return ""
}

// reach returns how far from an address a block may be to be worth a report: the length of a chunk.
func (c *Config) reach(spacing uint64) uint64 { return uint64(c.ChunkSize) * spacing }

// beside describes the block that a place lies in or next to. The caller holds d.mu.
func (d *debugState) beside(place, reach uint64) string {
	if d.blocks == nil || place == 0 {
		return ""
	}
	b := d.nearest(place)
	if b == nil {
		return "; the pool has no block"
	}
	text := ""
	switch dist := b.distance(place); {
	case dist > reach:
		return "; no block of the pool is near"
	case dist == 0:
		text = fmt.Sprintf("; it is byte %d of a block", place-b.place)
	case place < b.place:
		text = fmt.Sprintf("; the nearest block begins %s behind it", figure.Count(int64(dist), "byte"))
	default:
		text = fmt.Sprintf("; the nearest block ends %s in front of it", figure.Count(int64(dist-1), "byte"))
	}
	return text + b.text("bytes")
}

// wasFreed reports whether a block at the address was freed. The core may have forgotten.
func (d *debugState) wasFreed(place uint64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.blocks[place] == nil && d.recent.at(place) != nil
}

// nearest returns the block that a place lies in or is closest to; nil if there is none. The caller holds d.mu.
func (d *debugState) nearest(place uint64) (best *blockRecord) {
	least := ^uint64(0)
	for _, b := range d.blocks {
		if dist := b.distance(place); dist < least || dist == least && best != nil && b.serial > best.serial {
			best, least = b, dist
		}
	}
	return best
}

// distance returns how many bytes a place is from the nearest byte of the block; 0 if it lies in the block.
func (r *blockRecord) distance(place uint64) uint64 {
	switch {
	case place < r.place:
		return r.place - place
	case place-r.place >= r.bytes:
		return place - r.place - r.bytes + 1
	}
	return 0
}

// annotate adds to the live blocks among some pieces of a chunk when they were handed out, and by which calls. A block that was handed out since the pieces
// were listed, in the place of one that was freed, may be mistaken for it.
func (o *observed) annotate(pieces []poolrt.Piece, base uint64, sites *trace.Sites) {
	d := &o.debug
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range pieces {
		p := &pieces[i]
		if p.State != poolrt.PieceLive {
			continue
		}
		if b := d.blocks[(base+p.Off)*d.apart()]; b != nil {
			p.Since, p.Site = b.allocatedAt.time.UnixNano(), sites.Of(b.allocatedAt.stack)
		}
	}
}
