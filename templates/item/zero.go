package item

import (
	"errors"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// The device clears blocks before they are handed out: on its own, or on the stream that uses them first.
const (
	clears   = feature.ZeroDevice
	clearsOn = clears && feature.Streams && feature.AllocsOn
)

// dirty: nothing clears blocks before they are handed out.
const dirty = !feature.ZeroAlways && !clears

const _ = dirty // the condition of comments

// cleared has the device clear a block that is about to be handed out, and waits for that. If it fails, the block goes back.
//
//go:noinline
//poolgen:if clears
func (p *Pool) cleared(r mem.Ref) (mem.Ref, error) {
	if err := p.ready().Clear(mem.Addr(r), mem.ItemSize); err != nil {
		var none mem.Ref
		return none, errors.Join(err, p.undoBatch([]mem.Ref{r}))
	}
	return r, nil
}

// clearedOn puts the clearing of the block on the stream that uses it first. If it fails, the block goes back as one that the stream may
// still be at work with.
//
//go:noinline
//poolgen:if clearsOn
func (p *Pool) clearedOn(r mem.Ref, s cuda.Stream) (mem.Ref, error) {
	err := cuda.MemsetAsync(cuda.DevicePtr(mem.Place(r)), 0, int64(mem.ItemSize), s)
	if err != nil {
		var none mem.Ref
		return none, errors.Join(p.ready().NotCleared(mem.ItemSize, err), p.FreeAsync(r, s))
	}
	return r, nil
}

// tryCleared is take, which leaves the clearing to its caller, with a block that is clear.
//
//poolgen:if clears
func (p *Pool) tryCleared() (r mem.Ref, ok bool) {
	if r, ok = p.take(); !ok {
		return r, false
	}
	r, err := p.cleared(r)
	return r, err == nil
}

// uncleared is Alloc, which leaves the clearing to its caller.
//
//poolgen:if clears
func (p *Pool) uncleared() (mem.Ref, error) {
	if r, ok := p.take(); ok {
		return r, nil
	}
	b, err := p.ready().Alloc(mem.ItemSize, 1)
	if err != nil {
		var none mem.Ref
		return none, err
	}
	return mem.Of(b), nil
}
