//go:build pooldebug

package runtime

import (
	"errors"
	"fmt"
)

// Leaving sees to a free: it checks the block, fills it, and puts it into the quarantine, or has free give it to the suballocator. s is the stream that is
// at work with it, nil if none is. Unless done is set the caller has to go on: the call is free's own, or the suballocator knows better what is wrong.
//
// Of a batch, turn is what Enter said.
func (e *Engine) Leaving(turn Turn, place, bytes uint64, s *Stream, free func() error) (done bool, err error) {
	if turn.call == nil {
		if turn, err = e.Enter("free"); err != nil {
			return true, err
		}
		defer e.Leave()
	}
	w := &e.watch
	w.mu.Lock()
	b := w.blocks[place]
	if ok, wrong, detail := e.mayLeave(b, place, bytes); !ok {
		w.mu.Unlock()
		if wrong == nil {
			return false, nil
		}
		return true, e.refused(wrong, detail)
	}
	e.traceFree(place, bytes, s)
	b.died, b.free = *turn.call, free
	w.count(b, -1)
	wrong, me := "", b.died.goroutine
	if s = e.behind(b, s); s == nil {
		if wrong = b.zones(); wrong != "" {
			wrong += b.text(e.unit())
		}
		b.fill(0, b.bytes, fillDead)
	}
	due, keeps := w.keep(b, e, s)
	if !keeps && s == nil {
		b.settle()
	}
	late := w.gatherSome(e.unit())
	w.mu.Unlock()
	e.accuseAll(late)
	for _, b := range due {
		e.discharge(b, me)
	}
	if !keeps {
		err = e.part(b, me)
	}
	if wrong != "" {
		err = errors.Join(e.refused(ErrCorrupt, wrong), err)
	}
	return true, err
}

// mayLeave reports whether the block at a place, nil if none is known, may be freed with a length. If not, it says what is wrong, nil if the suballocator
// knows better. The lock of what is known is held.
func (e *Engine) mayLeave(b *sighting, place, bytes uint64) (ok bool, wrong error, detail string) {
	w, unit := &e.watch, e.unit()
	switch {
	case b == nil && place%w.spread != 0:
		return false, ErrForeign, fmt.Sprintf("address %#x", place) + w.beside(place, e.reach())
	case b == nil, b.state == blockLeaving && b.leaver == goroutine():
		return false, nil, ""
	case b.state != blockLive:
		return false, ErrDoubleFree, fmt.Sprintf("address %#x", place) + b.text(unit)
	case bytes != b.bytes:
		return false, ErrForeign, fmt.Sprintf("the block at %#x was handed out with %d %s, and freed with %d", place, b.bytes, unit, bytes) + b.text(unit)
	}
	return true, nil, ""
}

// part gives a block to the suballocator. If that fails the block is live as before.
func (e *Engine) part(b *sighting, me uint64) error {
	w := &e.watch
	w.mu.Lock()
	if w.blocks[b.place] != b { // all blocks were taken back meanwhile
		w.mu.Unlock()
		return nil
	}
	b.state, b.leaver = blockLeaving, me
	free := b.free
	w.mu.Unlock()
	err := free()
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.blocks[b.place] != b: // it was handed out again meanwhile
	case err != nil && !errors.Is(err, ErrCorrupt):
		b.state, b.died, b.free = blockLive, trace{}, nil
		w.count(b, 1)
	default:
		delete(w.blocks, b.place)
		w.past.add(b)
	}
	return err
}

// refused is the error of a call, with all that is known of the block.
func (e *Engine) refused(err error, detail string) error {
	e.lock()
	defer e.finish()
	p := e.newError("free", err)
	p.Detail = detail
	if kind := reason(err); kind == ErrCorrupt {
		e.note(EventCorrupt, 0, p)
	}
	return p
}
