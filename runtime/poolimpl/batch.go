package poolimpl

import (
	"errors"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// CompleteBatch fills dst from n on with blocks of so many bytes and returns their number: all of them, or none and an error, and then dst is cleared, the
// blocks go back, and so do the chunks that have come for them. It has the engine find a block, and goes on with take, which fills what it can
// from the chunks that are there: so the rest of a new chunk costs one lock. of is the block that the engine found, and addr its address as the core knows it.
func CompleteBatch[T any](e *Engine, dst []T, n int, bytes uint64, of func(Block) T, addr func(T) uint64, take func([]T) int) (int, error) {
	address := func(i int) uint64 { return addr(dst[i]) }
	b := batch{engine: e, bytes: bytes}
	err := b.begin(len(dst) - n)
	if err != nil { // another goroutine is in the pool, which is left alone
		clear(dst)
		return 0, err
	}
	defer e.observed.debug.endUse(e)
	for err == nil && n < len(dst) {
		var found foundBlock
		if found, err = b.next(); err == nil {
			dst[n] = of(Block{found, 1})
			n++
			n += take(dst[n:])
		}
	}
	if err = b.end(n, address, err); err != nil {
		clear(dst)
		return 0, err
	}
	return n, nil
}

// FreeRest frees blocks and joins the errors. It frees the first block with free, then as many as give frees from the next one on, and so on.
func FreeRest[T any](blocks []T, free func(T) error, give func([]T) int) error {
	var errs []error
	for len(blocks) > 0 {
		if err := free(blocks[0]); err != nil {
			errs = append(errs, err)
		}
		blocks = blocks[1:]
		blocks = blocks[give(blocks):]
	}
	return errors.Join(errs...)
}

// FreeEach frees blocks of so many bytes one by one and joins the errors. FreeBatch calls it in programs built with the tag pooldebug or pooltrace: the blocks
// have one call, which is found once.
func FreeEach[T any](e *Engine, blocks []T, bytes uint64, place func(T) uint64) error {
	call, err := e.observed.debug.beginUse(e, "free")
	if err != nil {
		return err
	}
	defer e.observed.debug.endUse(e)
	var errs []error
	for _, b := range blocks {
		if err := e.observed.free(e, call, place(b), bytes, nil); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// batch is a batch that the chunks which were there could not serve.
type batch struct {
	engine *Engine
	bytes  uint64 // of a block
	before int64  // bytes reserved at first
	call   Call
	found  []foundBlock // where blocks are observed: all of them
}

// begin begins a batch that is n blocks short.
func (b *batch) begin(n int) (err error) {
	e := b.engine
	if b.call, err = e.observed.debug.beginUse(e, "alloc"); err != nil {
		return err
	}
	if Observed {
		b.found = make([]foundBlock, 0, n)
	}
	e.lock()
	b.before = e.limits.reserved
	e.unlock()
	return nil
}

// next finds one more block.
func (b *batch) next() (foundBlock, error) {
	e := b.engine
	found, err := e.find(&request{bytes: b.bytes, align: 1})
	if err != nil {
		return foundBlock{}, err
	}
	if Observed {
		b.found = append(b.found, found)
	}
	if e.config.ZeroAlways {
		err = e.clear(found, b.bytes, nil)
	}
	return found, err
}

// end hands the n blocks of the batch out, or undoes it if it has failed with err.
func (b *batch) end(n int, addr func(i int) uint64, err error) error {
	e := b.engine
	if err == nil && e.config.ZeroDevice {
		err = e.clearEach(n, b.bytes, addr)
	}
	if err != nil {
		return b.undo(n, addr, err)
	}
	for _, found := range b.found {
		e.observed.alloc(e, b.call, found, b.bytes, nil)
	}
	return nil
}

// undo takes the n blocks back, and gives back the chunks that have come for them.
func (b *batch) undo(n int, addr func(i int) uint64, err error) error {
	e := b.engine
	errs := []error{err}
	e.lock()
	for i := range n {
		errs = append(errs, e.undo(addr(i), b.bytes))
	}
	e.wakeNext()
	e.unlockAndNotify()
	if _, failed := e.Trim(b.before); !errors.Is(failed, poolrt.ErrClosed) {
		errs = append(errs, failed)
	}
	return joined(errs...)
}
