//go:build pooldebug

package runtime

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"
	"unsafe"
)

// sighting is a block that was handed out.
type sighting struct {
	place, bytes uint64
	ptr          unsafe.Pointer // nil where Go code cannot address it; then it is reached by
	far          Inspector      // or not at all. Streams reach it by that, wherever it is
	front, tail  uint64         // bytes of the red zones
	on           Stream         // that was to fill it when it was handed out
	filled       Mark           // behind that; 0: it has, or there was none
	serial       uint64
	lent         bool // by another pool, which counts it
	shared       bool // with other processes, which may have it longer than the pool
	bare         bool // the memory is nobody's to write to but the block's owner's
	state        state
	leaver       uint64 // the goroutine that is giving it to the suballocator
	born, died   trace
	free         func() error // gives it to the suballocator
}

// state is how far a block has come.
type state uint8

const (
	blockLive    state = iota
	blockHeld          // freed, and in the quarantine
	blockLeaving       // on its way to the suballocator
)

// trace is a call of a pool.
type trace struct {
	at        time.Time
	goroutine uint64
	stack     []uintptr
}

// depth is how many calls of a stack are kept.
const depth = 32

// here is the call that the caller's caller serves.
func here() trace {
	var pcs [depth]uintptr
	n := runtime.Callers(3, pcs[:])
	return trace{time.Now(), goroutine(), slices.Clone(pcs[:n])}
}

// write adds a call to a report.
func (t trace) write(b *strings.Builder, what string) {
	fmt.Fprintf(b, "\n    %s %s ago by goroutine %d:", what, age(t.at), t.goroutine)
	writeStack(b, t.stack)
}

func age(at time.Time) time.Duration { return time.Since(at).Round(time.Microsecond) }

// text tells all about a block.
func (s *sighting) text(unit string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n  block at %#x of %d %s, number %d of the pool", s.place, s.bytes, unit, s.serial)
	s.born.write(&b, "handed out")
	if s.died.stack != nil {
		s.died.write(&b, "freed")
	}
	return b.String()
}

// recall remembers blocks that are free, as many as there is room for.
type recall struct {
	blocks map[uint64]*sighting
	order  []*sighting
	next   int
}

// remembered is how many.
const remembered = 4096

func (m *recall) add(s *sighting) {
	if m.blocks == nil {
		m.blocks = map[uint64]*sighting{}
	}
	s.forget()
	s.ptr, s.far, s.free = nil, nil, nil // keeps nothing alive
	if len(m.order) < remembered {
		m.order = append(m.order, s)
	} else {
		if old := m.order[m.next]; m.blocks[old.place] == old {
			delete(m.blocks, old.place)
		}
		m.order[m.next] = s
		m.next = (m.next + 1) % remembered
	}
	m.blocks[s.place] = s
}
