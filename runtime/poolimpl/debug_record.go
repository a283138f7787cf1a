//go:build pooldebug

package poolimpl

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/callers"
)

// blockLife is what reports say of a block.
type blockLife struct {
	place, bytes         uint64
	serial               uint64
	allocatedAt, freedAt callTrace
}

// blockRecord describes a block that was handed out. debugState.mu guards it.
type blockRecord struct {
	blockLife
	ptr         unsafe.Pointer // nil if Go code cannot address the block
	far         Inspector      // how streams reach the block, and Go code if ptr is nil; nil: not at all
	front, tail uint64         // bytes of the red zones
	on          Stream         // stream that fills the block
	filled      Fence          // fence behind the fill; 0: the fill has completed, or was no stream's
	borrowed    bool           // from another pool, which counts it
	shared      bool           // with other processes, which may use it longer than the pool does
	unguarded   bool           // only the owner of the block may write to it and around it
	state       state
	stream      *Stream // that the block was freed on; nil: none

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

// here records the calls under way, with the number of the goroutine. The caller holds d.mu.
func (d *debugState) here() callTrace {
	var pcs [depth + 3]uintptr // three of them are here, what calls it, and callers.Take
	n := callers.Take(pcs[:])
	return callTrace{sinceBegan(), callers.Goroutine(), d.stacks.known(pcs[:n])}
}

// callStacks has each call stack once: most calls of a program are made again and again.
type callStacks map[string][]uintptr

// known returns the only copy of a stack.
func (all *callStacks) known(stack []uintptr) []uintptr {
	text := func(stack []uintptr) string {
		return unsafe.String((*byte)(unsafe.Pointer(unsafe.SliceData(stack))), len(stack)*int(unsafe.Sizeof(stack[0])))
	}
	if s, ok := (*all)[text(stack)]; ok {
		return s
	}
	if *all == nil {
		*all = callStacks{}
	}
	only := slices.Clone(stack) // another variable: the caller's stays on the stack
	(*all)[text(only)] = only
	return only
}

// text describes a block and the calls that allocated and freed it.
func (r *blockLife) text(unit string) string {
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
	order []blockLife
	next  int // in order, if that is full
}

// maxRecentFrees is how many blocks recentFrees remembers.
const maxRecentFrees = 4096

func (f *recentFrees) add(b *blockRecord) {
	b.releaseFence()
	b.ptr, b.far = nil, nil // whoever still has the record touches no memory
	if len(f.order) < maxRecentFrees {
		f.order = append(f.order, b.blockLife)
		return
	}
	f.order[f.next] = b.blockLife
	f.next = (f.next + 1) % maxRecentFrees
}

// at returns the latest block that became free at a place; nil: none is remembered. It looks at all of them: only reports ask.
func (f *recentFrees) at(place uint64) *blockLife {
	for i := range f.order {
		if b := &f.order[(f.next+len(f.order)-1-i)%len(f.order)]; b.place == place {
			return b
		}
	}
	return nil
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
	if b != nil {
		text += b.text("bytes")
	}
	if was := d.recent.at(place); was != nil && was.serial == g.serial {
		text += was.text("bytes")
	}
	d.mu.Unlock()
	err := d.refused(e, poolrt.ErrDoubleFree, text)
	err.(*poolrt.PoolError).Op = "release"
	return err
}
