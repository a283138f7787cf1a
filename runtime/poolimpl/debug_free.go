//go:build pooldebug

package poolimpl

import (
	"errors"
	"fmt"

	"github.com/poolgen/poolgen/internal/inturn"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// free checks the block that is freed, fills it, and puts it into the quarantine or frees it in the core. s is the stream that may be working on the block;
// nil: none. If no block is known at the place, the core finds out what is wrong. The caller does not hold e.mu. call is what beginUse returned; the zero Call
// begins here. If fits is not nil, the caller has a handle; while d.mu is held, no life of a block that is known begins or ends.
func (o *observed) free(e *Engine, call Call, place, bytes uint64, s *Stream, fits func() bool) (err error) {
	d := &o.debug
	if !d.watches() {
		return e.freeBlock(place, bytes, s, fits)
	}
	if call.trace.stack == nil {
		if call, err = d.beginUse(e, "free"); err != nil {
			return err
		}
		defer d.endUse(e)
	}
	d.mu.Lock()
	if fits != nil && !fits() {
		d.mu.Unlock()
		return errStale
	}
	b := d.blocks[place]
	if ok, detail, wrong := d.mayFree(e, b, place, bytes); !ok {
		d.mu.Unlock()
		if wrong == nil {
			return e.freeBlock(place/d.apart(), bytes, s, fits)
		}
		return d.refused(e, wrong, detail)
	}
	o.tracing.free(e, place, bytes, s)
	o.samples.Take(place, bytes)
	b.freedAt, b.stream = call.trace, s
	if d.asleep { // there is no memory to fill
		b.unguard()
	}
	d.count(b, -1)
	wrong := ""
	if s = d.orderFree(b, s); s == nil {
		if wrong = b.checkZones(); wrong != "" {
			wrong += b.text(e.generated.unit())
		}
		b.fill(0, b.bytes, fillDead)
	}
	oldest, keeps := d.keep(b, e, s)
	if !keeps {
		b.state = blockFreeing // from here on, another free is a double free, and Reset does not count the block
		if s == nil {
			b.finishFill()
		}
	}
	late := d.gatherSome(e.generated.unit())
	d.mu.Unlock()
	if keeps && wrong == "" && len(late)+len(oldest) == 0 {
		return nil
	}
	if keeps {
		b = nil
	}
	return d.afterFree(e, b, late, oldest, wrong)
}

// afterFree does what a free leaves to do: it frees the block in the core, unless b is nil, and reports damage. The caller holds neither e.mu nor d.mu.
func (d *debugState) afterFree(e *Engine, b *blockRecord, late []string, oldest []*blockRecord, wrong string) (err error) {
	inturn.Run(
		func() { d.dischargeAll(e, late, oldest) },
		func() {
			if b != nil {
				err = d.finishFree(e, b, e.freeNow)
			}
		},
		func() {
			if wrong != "" {
				err = Join(d.refused(e, poolrt.ErrCorrupt, wrong), err)
			}
		},
	)
	return err
}

// mayFree reports whether the block at a place may be freed with a length; b is nil if none is known there. If not, it says what is wrong; wrong is nil if
// the core finds that out. The caller holds d.mu.
func (d *debugState) mayFree(e *Engine, b *blockRecord, place, bytes uint64) (ok bool, detail string, wrong error) {
	unit := e.generated.unit()
	switch {
	case b == nil && place%d.spacing != 0:
		return false, fmt.Sprintf("address %#x", place) + d.beside(place, e.generated.reach(d.spacing)), poolrt.ErrForeign
	case b == nil:
		return false, "", nil
	case b.state != blockLive:
		return false, fmt.Sprintf("address %#x", place) + b.text(unit), poolrt.ErrDoubleFree
	case bytes != b.bytes:
		return false, fmt.Sprintf("the block at %#x was handed out with %d %s, and freed with %d"+wholeSlice, place, b.bytes, unit, int64(bytes)) + b.text(unit), poolrt.ErrForeign
	}
	return true, "", nil
}

// mayFind returns why no live block starts at a place, or nil if one may: blocks that are not watched are left to the core, and the core has those in the
// quarantine as live.
func (d *debugState) mayFind(place uint64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	b := d.blocks[place]
	switch {
	case !d.watches() || b != nil && b.state == blockLive:
		return nil
	case b != nil || d.recent.at(place) != nil:
		return poolrt.ErrDoubleFree
	}
	return poolrt.ErrForeign
}

// finishFree frees a block in the core, with freeNow or freeLate. If the driver fails, the block is live as before. A panic comes from an event hook or the source,
// when the block is free. The caller holds neither e.mu nor d.mu.
func (d *debugState) finishFree(e *Engine, b *blockRecord, free func(addr, bytes uint64, s *Stream) error) (err error) {
	d.mu.Lock()
	if d.blocks[b.place] != b { // all blocks were freed at once meanwhile
		d.mu.Unlock()
		return nil
	}
	b.state = blockFreeing
	addr, bytes, s := b.place/d.apart(), b.bytes, b.stream
	d.mu.Unlock()
	defer func() { d.finished(b, err) }() // also after a panic
	return free(addr, bytes, s)
}

// freeNow is freeBlock.
func (e *Engine) freeNow(addr, bytes uint64, s *Stream) error {
	return e.freeBlock(addr, bytes, s, nil)
}

// freeLate is freeBlock for a block that its caller has freed before. What the driver does not take back, it is given again later.
func (e *Engine) freeLate(addr, bytes uint64, s *Stream) error {
	if e.core.driver == nil {
		return e.freeNow(addr, bytes, s)
	}
	return e.core.driver.freeLate(e, addr, bytes, s)
}

// finished notes that the core has freed a block, or why not. If the core has no such block, a Reset beside the allocation has freed the block. The caller does
// not hold d.mu.
func (d *debugState) finished(b *blockRecord, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.blocks[b.place] != b: // the block was handed out again meanwhile
	case err != nil && !errors.Is(err, poolrt.ErrInvalidFree) && !errors.Is(err, poolrt.ErrCorrupt): // the driver has failed
		b.state, b.freedAt, b.stream = blockLive, callTrace{}, nil
		d.count(b, 1)
	default:
		delete(d.blocks, b.place)
		far := b.far
		d.recent.add(b)
		if far == nil && len(d.unused) < quarantineStep { // no sample of a stream has the record either
			d.unused = append(d.unused, b)
		}
	}
}

// refused returns the error of a call, with all that is known of the block. The caller does not hold e.mu.
func (d *debugState) refused(e *Engine, err error, detail string) error {
	e.lock()
	defer e.unlockAndNotify()
	p := e.newError("free", err)
	p.Detail = detail
	if kind := reason(err); kind == poolrt.ErrCorrupt {
		e.figures.queueEvent(poolrt.EventCorrupt, 0, p)
	}
	return p
}

// noteMark notes which blocks were handed out before a mark was made, for Release.
func (d *debugState) noteMark(mark any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.marks == nil {
		d.marks = map[any]uint64{}
	}
	d.marks[mark] = d.serial
}

// noteRelease notes the mark that is about to be released.
func (d *debugState) noteRelease(mark any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.since = d.marks[mark]
}

// swept forgets the blocks that are freed at once: all blocks, or those above the mark. Their memory is still there. The caller holds e.mu.
func (d *debugState) swept(e *Engine, all bool) {
	var wrong []string
	d.mu.Lock()
	d.sweeps++
	from := d.since
	if all {
		from = 0
	}
	for m, serial := range d.marks {
		if serial > from || all {
			delete(d.marks, m)
		}
	}
	if all {
		wrong = d.gather(true, e.generated.unit())
	}
	freedAt := d.here()
	var far Inspector
	for place, b := range d.blocks {
		if b.serial <= from {
			continue
		}
		if b.state == blockLive {
			b.freedAt = freedAt
			d.count(b, -1)
		}
		if b.filled != 0 {
			_ = b.far.Sync(b.filled) // the memory may go, so the fill must have completed
		}
		if z := b.checkZones(); z != "" {
			wrong = append(wrong, z+b.text(e.generated.unit()))
		}
		if !b.shared {
			b.fill(0, b.bytes, fillDead)
		}
		if b.ptr == nil {
			far = b.far
		}
		delete(d.blocks, place)
		d.recent.add(b)
	}
	if far != nil {
		_ = far.SyncFills()
	}
	d.mu.Unlock()
	for _, text := range wrong {
		d.accused(e, text)
	}
}

// noteShared notes that another process may use a block.
func (d *debugState) noteShared(place uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if b := d.blocks[place]; b != nil {
		b.shared = true
	}
}

// setAsleep notes whether blocks have no memory. Red zones that a stream may still be filling are not checked any more. The caller holds e.mu.
func (d *debugState) setAsleep(asleep bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asleep = asleep
	for _, b := range d.blocks {
		if asleep && b.filled != 0 {
			b.unguard()
		}
	}
}

// unguardAll stops checking the blocks that were handed out during a Reset, which may be from before it or after it, or whose red zones were discarded. The caller holds e.mu.
func (d *debugState) unguardAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sweeps++
	for _, b := range d.blocks {
		b.unguard()
	}
}
