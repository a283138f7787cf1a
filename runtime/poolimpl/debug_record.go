//go:build pooldebug

package poolimpl

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// blockRecord describes a block that was handed out. debugState.mu guards it.
type blockRecord struct {
	place, bytes         uint64
	ptr                  unsafe.Pointer // nil if Go code cannot address the block
	far                  Inspector      // how streams reach the block, and Go code if ptr is nil; nil: not at all
	front, tail          uint64         // bytes of the red zones
	on                   Stream         // stream that fills the block
	filled               Fence          // fence behind the fill; 0: the fill has completed, or was no stream's
	serial               uint64
	borrowed             bool // from another pool, which counts it
	shared               bool // with other processes, which may use it longer than the pool does
	unguarded            bool // only the owner of the block may write to it and around it
	state                state
	allocatedAt, freedAt callTrace
	stream               *Stream // that the block was freed on; nil: none

	site         *liveSite    // while the block is live; nil: not live
	older, newer *blockRecord // of site
}

// state is how far a block is on its way from live to free.
type state uint8

const (
	blockLive    state = iota
	blockHeld          // freed, in the quarantine
	blockFreeing       // being freed in the core
)

// here records the call of its caller, with the number of the goroutine.
func here() callTrace {
	var pcs [depth]uintptr
	n := runtime.Callers(2, pcs[:])
	return callTrace{time.Now(), goroutine(), slices.Clone(pcs[:n])}
}

// text describes a block and the calls that allocated and freed it.
func (r *blockRecord) text(unit string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n  block at %#x of %d %s, number %d of the pool", r.place, r.bytes, unit, r.serial)
	r.allocatedAt.write(&b, "handed out")
	if r.freedAt.stack != nil {
		r.freedAt.write(&b, "freed")
	}
	return b.String()
}

// recentFrees remembers the latest blocks that became free.
type recentFrees struct {
	blocks map[uint64]*blockRecord
	order  []*blockRecord
	next   int
}

// maxRecentFrees is how many blocks recentFrees remembers.
const maxRecentFrees = 4096

func (f *recentFrees) add(b *blockRecord) {
	if f.blocks == nil {
		f.blocks = map[uint64]*blockRecord{}
	}
	b.releaseFence()
	b.ptr, b.far = nil, nil // the record keeps no memory alive
	if len(f.order) < maxRecentFrees {
		f.order = append(f.order, b)
	} else {
		if old := f.order[f.next]; f.blocks[old.place] == old {
			delete(f.blocks, old.place)
		}
		f.order[f.next] = b
		f.next = (f.next + 1) % maxRecentFrees
	}
	f.blocks[b.place] = b
}

// generation returns the Generation of the block at a place.
func (d *debugState) generation(place uint64) Generation {
	d.mu.Lock()
	defer d.mu.Unlock()
	if b := d.blocks[place]; b != nil {
		return Generation{b.serial}
	}
	return Generation{}
}

// stale refuses a Generation whose block is not live any more, whatever lies in its place now. Blocks that are not watched have none, as those of graphs. The caller does
// not hold e.mu.
func (d *debugState) stale(e *Engine, g Generation, place uint64) error {
	if g == (Generation{}) {
		return nil
	}
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
	err := d.refused(e, poolrt.ErrDoubleFree, text)
	err.(*poolrt.PoolError).Op = "release"
	return err
}
