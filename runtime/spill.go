package runtime

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Spill is another pool that blocks may come from. A block taken there goes back there. Alloc refuses where that pool is on
// another device than the one named.
type Spill struct {
	Alloc func(device int, bytes, align uint64) (Block, error)
	Free  func(b Block, bytes uint64) error
}

// loans are the blocks that did not come from the pool's chunks, by address: those of other pools, and those straight from the source. Other pools
// have more blocks, those of their own users and of other borrowers: only what is noted here may be given back through this pool.
type loans struct {
	blocks map[uint64]loan
	live   int // of blocks: those that are not back
	parked []parkedLoan
	own    straight
}

// loan is a block that did not come from a chunk. One that went back is remembered for a while, to tell a second free.
type loan struct {
	Block
	lender *Spill // nil: the source
	chunk  Chunk  // from the source
	bytes  uint64 // asked for; 0: it is back
}

// parkedLoan is one that was freed on a stream: it goes back when the stream has passed the mark.
type parkedLoan struct {
	loan
	stream Stream
	mark   Mark
}

// spill takes the block from another pool.
func (e *Engine) spill(r request, s *Spill) (b Block, err error) {
	device := e.memory.Device
	e.outside(func() { b, err = s.Alloc(device, r.bytes, r.align) })
	if err != nil {
		return Block{}, err
	}
	if Debug {
		if b.Addr%e.apart() != 0 { // the suballocator cannot express the place
			e.outside(func() { _ = s.Free(b, r.bytes) })
			return Block{}, ErrUnsupported
		}
		b.Addr /= e.apart()
	}
	e.loans.note(loan{Block: b, lender: s, bytes: r.bytes})
	return b, nil
}

// Lends returns nil if a pool whose memory is on the device may have blocks of this one.
func (e *Engine) Lends(device int) error {
	e.lock()
	defer e.finish()
	err := error(ErrClosed)
	if !e.closed {
		err = e.openLazily()
	}
	if err == nil && e.memory.Device != device {
		err = fmt.Errorf("%w: the pool is on device %d", ErrUnsupported, e.memory.Device)
	}
	if err != nil {
		return e.newError("lend", err)
	}
	return nil
}

// repay gives a block back to where it came from: at once, or when a stream has passed what it was given by now. It returns nil, or what is
// wrong with the block.
func (e *Engine) repay(addr, bytes uint64, s *Stream) error {
	l, known := e.loans.blocks[addr]
	switch {
	case !known || l.bytes != 0 && l.bytes != bytes:
		return ErrForeign
	case l.bytes == 0:
		return ErrDoubleFree
	}
	e.loans.settle(l)
	if s == nil {
		return e.handOver(l)
	}
	m, err := e.record(*s)
	if err != nil {
		e.loans.note(l) // as it was
		return err
	}
	e.loans.parked = append(e.loans.parked, parkedLoan{l, *s, m})
	return nil
}

// handOver gives a block that is free to its owner.
func (e *Engine) handOver(l loan) (err error) {
	if l.lender == nil {
		_, _ = e.returnStraight([]Chunk{l.chunk})
		return nil
	}
	b := l.Block
	if Debug {
		b.Addr *= e.apart()
	}
	e.outside(func() { err = l.lender.Free(b, l.bytes) })
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrDoubleFree):
		return ErrDoubleFree
	case Debug && errors.Is(err, ErrCorrupt): // it is back all the same
		return err
	}
	return ErrForeign // somebody gave it back over there
}

func (p parkedLoan) behind() Mark { return p.mark }

// retireLoans gives back the parked blocks whose streams have passed them.
func (e *Engine) retireLoans() (retired int, err error) {
	return retireMarked(e, &e.loans.parked, e.retireLoan)
}

// retireLoan gives one of the parked blocks back.
func (e *Engine) retireLoan(at int) (frees int) {
	l := e.loans.parked[at]
	e.loans.parked = slices.Delete(e.loans.parked, at, at+1)
	e.drop(l.mark)
	_ = e.handOver(l.loan)
	e.returned(1, nil)
	return 1
}

// has reports whether a block from elsewhere is in use.
func (l *loans) has(addr uint64) bool { return l.blocks[addr].bytes != 0 }

func (l *loans) note(block loan) {
	if l.blocks == nil {
		l.blocks = make(map[uint64]loan)
	}
	if l.blocks[block.Addr].bytes == 0 { // else somebody gave it back over there
		l.live++
	}
	l.blocks[block.Addr] = block
	l.own.took(block)
}

// settle notes that a block is free. Those are forgotten when they are many.
func (l *loans) settle(block loan) {
	l.blocks[block.Addr] = loan{}
	l.live--
	l.own.freed(block)
	if len(l.blocks) > 2*l.live+1<<10 {
		maps.DeleteFunc(l.blocks, func(_ uint64, b loan) bool { return b.bytes == 0 })
	}
}
