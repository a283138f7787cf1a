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
	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// blockRecord is a block that was handed out.
type blockRecord struct {
	place, bytes         uint64
	ptr                  unsafe.Pointer // nil where Go code cannot address it; then it is reached by
	far                  Inspector      // or not at all. Streams reach it by that, wherever it is
	front, tail          uint64         // bytes of the red zones
	on                   Stream         // that was to fill it when it was handed out
	filled               Fence          // behind that; 0: it has, or there was none
	serial               uint64
	borrowed             bool // by another pool, which counts it
	shared               bool // with other processes, which may have it longer than the pool
	unguarded            bool // the memory is nobody's to write to but the block's owner's
	state                state
	allocatedAt, freedAt callTrace
	stream               *Stream // that it was freed on; nil: on none
}

// state is how far a block has come.
type state uint8

const (
	blockLive    state = iota
	blockHeld          // freed, and in the quarantine
	blockFreeing       // on its way to the core
)

// callTrace is a call of a pool.
type callTrace struct {
	time      time.Time
	goroutine uint64
	stack     []uintptr
}

// depth is how many calls of a stack are kept.
const depth = 32

// here is the call that the caller's caller serves.
func here() callTrace {
	var pcs [depth]uintptr
	n := runtime.Callers(3, pcs[:])
	return callTrace{time.Now(), goroutine(), slices.Clone(pcs[:n])}
}

// write adds a call to a report.
func (t callTrace) write(b *strings.Builder, what string) {
	fmt.Fprintf(b, "\n    %s %s ago by goroutine %d:", what, age(t.time), t.goroutine)
	trace.WriteStack(b, t.stack)
}

func age(at time.Time) time.Duration { return time.Since(at).Round(time.Microsecond) }

// text tells all about a block.
func (r *blockRecord) text(unit string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n  block at %#x of %d %s, number %d of the pool", r.place, r.bytes, unit, r.serial)
	r.allocatedAt.write(&b, "handed out")
	if r.freedAt.stack != nil {
		r.freedAt.write(&b, "freed")
	}
	return b.String()
}

// recentFrees remembers blocks that are free, as many as there is room for.
type recentFrees struct {
	blocks map[uint64]*blockRecord
	order  []*blockRecord
	next   int
}

// maxRecentFrees is how many.
const maxRecentFrees = 4096

func (f *recentFrees) add(b *blockRecord) {
	if f.blocks == nil {
		f.blocks = map[uint64]*blockRecord{}
	}
	b.releaseFence()
	b.ptr, b.far = nil, nil // keeps nothing alive
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

// stale refuses the generation of a block that is not live any more, whatever has its place now.
func (e *Engine) stale(g Generation, place uint64) error {
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
