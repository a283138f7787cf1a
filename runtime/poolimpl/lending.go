package poolimpl

import (
	"errors"
	"fmt"

	"github.com/poolgen/poolgen/internal/inturn"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// lending lists the blocks of a pool that other pools have borrowed. A block that was freed through the pool itself, and not through the borrower, may still be
// listed: the fast path does not look here.
type lending struct {
	blocks   map[uint64]borrowedBlock // by address: each is a *borrowing
	underway int                      // number of blocks that other pools are about to borrow
}

// borrowing is a block that another pool has borrowed from the lender. It does not change. If the block was freed and then borrowed again, it is another borrowing.
type borrowing struct {
	lender      *Engine
	addr, bytes uint64 // as the core of the lender has them
}

// place is where the block lies in memory.
func (l *borrowing) place() uint64 { return l.addr * l.lender.observed.debug.apart() }

// lend allocates a block for another pool whose memory is on the device. From before the allocation until the block is returned, FreeAll is refused. The
// caller does not hold e.mu.
func (e *Engine) lend(r request, device int) (b foundBlock, l borrowedBlock, err error) {
	if err = e.offer(device); err != nil {
		return foundBlock{}, nil, err
	}
	err = errPanic
	defer func() { // also if a source or an event hook panics
		e.lock()
		defer e.unlock()
		e.foreign.lending.underway--
		if err == nil {
			l = e.foreign.lending.note(&borrowing{e, b.Addr, r.bytes})
		}
	}()
	of := e.sample(r.bytes, false)
	if b, err = e.alloc(request{bytes: r.bytes, align: r.align}); err == nil {
		of.Guard = false // the block goes to another pool
		b = e.treat(of, b, r.bytes, r.align)
	}
	return b, nil, err
}

// borrow takes the block from another pool: the one that the rung names or, if that exists once for each device, the one on this pool's device.
func (e *Engine) borrow(r request, pool func(device int) *Engine) (b foundBlock, err error) {
	var l borrowedBlock
	device := e.memory.Device
	e.unlocked(func() { b, l, err = pool(device).lend(r, device) })
	if err != nil {
		return foundBlock{}, err
	}
	apart := e.observed.debug.apart()
	switch {
	case e.life.closed: // meanwhile
		err = poolrt.ErrClosed
	case l.place()%apart != 0: // the core cannot express the address
		err = poolrt.ErrUnsupported
	}
	if err != nil {
		e.unlocked(func() { _ = l.giveBack() })
		return foundBlock{}, err
	}
	b.Addr = l.place() / apart
	e.foreign.noteLive(foreignBlock{foundBlock: b, borrowed: l, bytes: r.bytes})
	return b, nil
}

// offer begins to lend a block, if a pool whose memory is on the device may borrow from this pool. The caller does not hold e.mu.
func (e *Engine) offer(device int) error {
	e.lock()
	defer e.unlockAndNotify()
	err := error(poolrt.ErrClosed)
	if !e.life.closed {
		err = e.openLazily()
	}
	if err == nil && e.memory.Device != device {
		err = fmt.Errorf("%w: the pool is on device %d", poolrt.ErrUnsupported, e.memory.Device)
	}
	if err != nil {
		return e.newError("lend", err)
	}
	e.foreign.lending.underway++
	return nil
}

// note notes a borrowing. An earlier borrowing of the same address has ended: the block was freed through the pool itself.
func (s *lending) note(l *borrowing) borrowedBlock {
	if s.blocks == nil {
		s.blocks = make(map[uint64]borrowedBlock)
	}
	s.blocks[l.addr] = l
	return l
}

// borrowedByOthers returns the number of blocks that other pools have borrowed or are about to borrow. It forgets those that were freed through this pool. Cost:
// a search for each of them.
func (e *Engine) borrowedByOthers() int64 {
	for addr := range e.foreign.lending.blocks {
		if _, _, err := e.liveAt(addr); err != nil {
			delete(e.foreign.lending.blocks, addr)
		}
	}
	return int64(len(e.foreign.lending.blocks) + e.foreign.lending.underway)
}

// giveBack frees the block in the lender. It returns ErrDoubleFree or ErrForeign if the block was freed through the lender, and in debug builds ErrCorrupt if the
// block was freed, and damage was found. The borrowing has ended afterwards. The caller holds mu of no pool.
func (l *borrowing) giveBack() error {
	if !l.open() {
		return poolrt.ErrForeign
	}
	defer l.end() // also if an event hook panics
	err := l.lender.Free(l.place(), l.bytes)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, poolrt.ErrDoubleFree):
		return poolrt.ErrDoubleFree
	case Debug && errors.Is(err, poolrt.ErrCorrupt):
		return err
	}
	return poolrt.ErrForeign
}

// open reports whether the borrowing has not ended. The caller does not hold mu of the lender.
func (l *borrowing) open() bool {
	l.lender.lock()
	defer l.lender.unlock()
	return l.lender.foreign.lending.blocks[l.addr] == borrowedBlock(l)
}

// end ends the borrowing, if it has not ended. The caller does not hold mu of the lender.
func (l *borrowing) end() {
	l.lender.lock()
	defer l.lender.unlock()
	if blocks := l.lender.foreign.lending.blocks; blocks[l.addr] == borrowedBlock(l) { // else the block was freed and borrowed again
		delete(blocks, l.addr)
	}
}

// giveBackAll returns borrowed blocks to their pools, also if event hooks of these pools panic. The error joins the damage that the pools found; a block that was
// freed through its own pool is no error.
func (e *Engine) giveBackAll(borrowed []borrowedBlock) error {
	if len(borrowed) == 0 {
		return nil
	}
	var errs []error
	e.unlocked(func() {
		inturn.Call(borrowed, func(l borrowedBlock) {
			if err := l.giveBack(); errors.Is(err, poolrt.ErrCorrupt) {
				errs = append(errs, err)
			}
		})
	})
	return Join(errs...)
}
