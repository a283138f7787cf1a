package runtime

import (
	"errors"
	"maps"
	"unsafe"
)

// Spill is another pool that blocks may come from. A block taken there goes back there.
type Spill struct {
	Alloc func(bytes, align uint64) (unsafe.Pointer, error)
	Free  func(p unsafe.Pointer, bytes uint64) error
}

// loans are the blocks from other pools, by address. The others have more blocks, those of their own users and of other borrowers: only
// what is noted here may be given back through this pool.
type loans struct {
	blocks map[uint64]loan
	live   int // of blocks: those that are not back
}

// loan is a block from another pool. One that went back is remembered for a while, to tell a second free.
type loan struct {
	lender *Spill
	bytes  uint64 // asked for; 0: it is back
}

// spill takes the block from another pool.
func (e *Engine) spill(r request, s *Spill) (Block, bool) {
	var p unsafe.Pointer
	var err error
	e.outside(func() { p, err = s.Alloc(r.bytes, r.align) })
	if err != nil {
		return Block{}, false
	}
	b := Block{Ptr: p, Addr: uint64(uintptr(p))}
	e.loans.note(b.Addr, loan{s, r.bytes})
	return b, true
}

// spilled gives a block back to the pool of the ladder that it came from. It returns nil, or what is wrong with the block.
func (e *Engine) spilled(p unsafe.Pointer, bytes uint64) error {
	l, known := e.loans.blocks[uint64(uintptr(p))]
	switch {
	case !known || l.bytes != 0 && l.bytes != bytes:
		return ErrForeign
	case l.bytes == 0:
		return ErrDoubleFree
	}
	e.loans.settle(uint64(uintptr(p)))
	var err error
	e.outside(func() { err = l.lender.Free(p, bytes) })
	if err != nil && errors.Is(err, ErrDoubleFree) {
		return ErrDoubleFree
	}
	if err != nil {
		return ErrForeign // somebody gave it back over there
	}
	return nil
}

// has reports whether a block from elsewhere is in use.
func (l *loans) has(addr uint64) bool { return l.blocks[addr].bytes != 0 }

func (l *loans) note(addr uint64, block loan) {
	if l.blocks == nil {
		l.blocks = make(map[uint64]loan)
	}
	if l.blocks[addr].bytes == 0 { // else somebody gave it back over there
		l.live++
	}
	l.blocks[addr] = block
}

// settle notes that a block went back. Blocks that are back are forgotten when they are many.
func (l *loans) settle(addr uint64) {
	l.blocks[addr] = loan{}
	l.live--
	if len(l.blocks) > 2*l.live+1<<10 {
		maps.DeleteFunc(l.blocks, func(_ uint64, b loan) bool { return b.bytes == 0 })
	}
}
