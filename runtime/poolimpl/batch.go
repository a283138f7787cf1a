package poolimpl

import (
	"errors"
	"fmt"

	"github.com/poolgen/poolgen/internal/inturn"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// CompleteBatch fills dst[n:] with blocks of so many bytes each and returns len(dst). If that fails, it clears dst, frees the blocks, returns the chunks that
// were obtained for them, and reports the error. The engine finds one block; take then fills as many elements as it can from the existing chunks, so the rest
// of a new chunk costs one lock operation. of converts a block of the engine, and addr returns the address of a block as the core knows it.
func CompleteBatch[T any](e *Engine, dst []T, n int, bytes uint64, of func(Block) T, addr func(T) uint64, take func([]T) int) (int, error) {
	return completeBatch(batch{engine: e, bytes: bytes}, dst, n, of, addr, take)
}

// CompleteBatchOn is CompleteBatch for blocks that are used on a stream first. If it fails, it frees the blocks on that stream, which may still be using them.
func CompleteBatchOn[T any](e *Engine, s Stream, dst []T, n int, bytes uint64, of func(Block) T, addr func(T) uint64, take func([]T) int) (int, error) {
	return completeBatch(batch{engine: e, bytes: bytes, stream: &s}, dst, n, of, addr, take)
}

func completeBatch[T any](b batch, dst []T, n int, of func(Block) T, addr func(T) uint64, take func([]T) int) (int, error) {
	address := func(i int) uint64 { return addr(dst[i]) }
	err := b.begin(len(dst) - n)
	if err != nil { // another goroutine is in the pool, which is left alone
		clear(dst)
		return 0, err
	}
	defer b.engine.observed.debug.endUse(b.engine)
	defer func() {
		if !b.ended { // a source or an event hook has panicked
			_ = b.undo(n, address, nil)
			clear(dst)
		}
	}()
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

// mostPause is the largest number of blocks that [FreeRest] frees one by one before it tries again to free several.
const mostPause = 31

// FreeRest frees all blocks, also if an event hook panics meanwhile, and joins their errors. It alternates: free frees the first block, then give frees
// as many of the next ones as it can, and returns their number. Blocks that lie in any order are freed one by one: after a give of none, the next ones
// are free's, twice as many each time.
func FreeRest[T any](blocks []T, free func(T) error, give func([]T) int) error {
	var errs []error
	wait, pause := 0, 0
	defer func() {
		if len(blocks) > 0 { // an event hook has panicked
			_ = FreeRest(blocks, free, give)
		}
	}()
	for len(blocks) > 0 {
		first := blocks[0]
		blocks = blocks[1:]
		if err := free(first); err != nil {
			errs = append(errs, err)
		}
		if wait > 0 {
			wait--
			continue
		}
		n := give(blocks)
		if blocks = blocks[n:]; n > 0 {
			pause = 0
		} else {
			pause = min(2*pause+1, mostPause)
		}
		wait = pause
	}
	return joinBlocks(errs)
}

// FreeEach frees blocks of so many bytes one by one and joins the errors. FreeBatch calls it in programs built with the tag pooldebug or pooltrace: the blocks
// have one call, which is found once.
func FreeEach[T any](e *Engine, blocks []T, bytes uint64, place func(T) uint64) error {
	return freeEach(e, nil, blocks, bytes, place)
}

// FreeEachOn is FreeEach for blocks that become free for all when the stream has completed the work queued so far.
func FreeEachOn[T any](e *Engine, s Stream, blocks []T, bytes uint64, place func(T) uint64) error {
	return freeEach(e, &s, blocks, bytes, place)
}

func freeEach[T any](e *Engine, s *Stream, blocks []T, bytes uint64, place func(T) uint64) error {
	call, err := e.observed.debug.beginUse(e, "free")
	if err != nil {
		return err
	}
	defer e.observed.debug.endUse(e)
	var errs []error
	inturn.Call(blocks, func(b T) {
		if err := e.observed.free(e, call, place(b), bytes, s, nil); err != nil {
			errs = append(errs, err)
		}
	})
	return joinBlocks(errs)
}

// mostShown is of how many blocks the text of an error tells.
const mostShown = 8

// blockErrors joins the errors of more blocks. Its text has the first ones and the number of the others.
type blockErrors struct{ errs []error }

// joinBlocks joins the errors of the blocks of a batch.
func joinBlocks(errs []error) error {
	if len(errs) > mostShown {
		return &blockErrors{errs}
	}
	return errors.Join(errs...)
}

func (b *blockErrors) Error() string {
	return fmt.Sprintf("%v\nand the errors of %d more blocks", errors.Join(b.errs[:mostShown]...), len(b.errs)-mostShown)
}

// Unwrap returns all errors, for errors.Is and errors.As.
func (b *blockErrors) Unwrap() []error { return b.errs }

// batch is a batch that the existing chunks could not serve. The caller of its methods does not hold e.mu.
type batch struct {
	engine *Engine
	bytes  uint64  // of a block
	stream *Stream // that uses the blocks first; nil: none
	before int64   // bytes reserved when the batch began
	primes int64   // and calls of Prime until then
	sweeps uint64  // and times until then that all blocks were freed at once
	call   Call
	found  []foundBlock // all blocks that the engine found, if blocks are observed
	ended  bool         // the blocks were handed out or taken back
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
	b.before, b.primes, b.sweeps = e.limits.reserved, e.limits.primes, e.life.sweeps
	e.unlock()
	return nil
}

// next finds one more block.
func (b *batch) next() (foundBlock, error) {
	e := b.engine
	r := request{bytes: b.bytes, align: 1, stream: b.stream, unclear: true}
	of := e.sample(b.bytes, false)
	r.sampled = of.any()
	found, err := e.find(&r)
	if err != nil {
		return foundBlock{}, err
	}
	found = e.treat(of, found, r.bytes, r.align)
	if Observed {
		b.found = append(b.found, found)
	}
	return found, nil
}

// end hands out the n blocks of the batch, or undoes the batch if err is not nil.
func (b *batch) end(n int, addr func(i int) uint64, err error) error {
	e := b.engine
	if err == nil && e.config.ZeroDevice {
		err = b.clear(n, addr)
	}
	if err != nil {
		return b.undo(n, addr, err)
	}
	b.ended = true
	for _, found := range b.found {
		e.observed.alloc(e, b.call, found, b.bytes, b.stream)
	}
	return nil
}

// clear has the device clear the n blocks of the batch. If all blocks were freed at once since the batch
// began, others may have got these, and nothing is cleared.
func (b *batch) clear(n int, addr func(i int) uint64) error {
	e := b.engine
	e.lock()
	defer e.unlockAndNotify()
	if b.swept() {
		return nil
	}
	if err := e.clearEach(n, b.bytes, b.stream, addr); err != nil {
		return e.fail(request{bytes: b.bytes}, err, Usage{})
	}
	return nil
}

// swept reports whether all blocks were freed at once since the batch began. The caller holds e.mu.
func (b *batch) swept() bool { return b.sweeps != b.engine.life.sweeps }

// floor returns the bytes that the pool keeps when the batch fails: those from before, and what a call of Prime has reserved meanwhile. The caller holds e.mu.
func (b *batch) floor() int64 {
	if l := &b.engine.limits; l.primes != b.primes {
		return max(b.before, l.primed)
	}
	return b.before
}

// undo takes the n blocks back and returns the chunks that were obtained for them, also if an event hook panics meanwhile.
func (b *batch) undo(n int, addr func(i int) uint64, err error) error {
	b.ended = true
	errs := []error{err}
	take := func() { errs = append(errs, b.takeBack(n, addr)...) }
	trim := func() {
		if _, failed := b.engine.trimDownTo(b.floor); !errors.Is(failed, poolrt.ErrClosed) {
			errs = append(errs, failed)
		}
	}
	inturn.Run(take, trim)
	return Join(errs...)
}

// takeBack is Engine.takeBack for the n blocks, under one lock: an event hook that panics at the end finds all of them taken back.
// If all blocks were freed at once since the batch began, others may have got these, and nothing is taken back.
func (b *batch) takeBack(n int, addr func(i int) uint64) (errs []error) {
	e := b.engine
	e.lock()
	defer e.unlockAndNotify()
	defer e.wakeNext()
	if b.swept() {
		return nil
	}
	for i := range n {
		errs = append(errs, e.undoOn(addr(i), b.bytes, b.stream))
	}
	if b.stream != nil { // the stream may have collected enough frees
		e.order.reclaimDue(*b.stream)
	}
	return errs
}
