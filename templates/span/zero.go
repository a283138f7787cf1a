package span

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

// cleared has the device clear a block that is about to be handed out, and waits for that. If [frees], the block goes back where that fails.
//
//go:noinline
//poolgen:if clears
func (p *Pool) cleared(s mem.Span) (mem.Span, error) {
	err := p.ready().Clear(mem.SpanAddr(s), mem.SpanBytes(s))
	if err == nil {
		return s, nil
	}
	if frees {
		err = errors.Join(err, p.Free(s))
	}
	var none mem.Span
	return none, err
}

// clearedOn puts the clearing of the block on the stream that uses it first. If it fails, the block goes back as one that the stream may
// still be at work with.
//
//go:noinline
//poolgen:if clearsOn
func (p *Pool) clearedOn(block mem.Span, s cuda.Stream) (mem.Span, error) {
	err := cuda.MemsetAsync(cuda.DevicePtr(mem.SpanPlace(block)), 0, int64(mem.SpanBytes(block)), s)
	if err != nil {
		var none mem.Span
		return none, errors.Join(p.ready().NotCleared(mem.SpanBytes(block), err), p.FreeAsync(block, s))
	}
	return block, nil
}

// tryCleared is take, which leaves the clearing to its caller, with a block that is clear.
//
//poolgen:if clears
func (p *Pool) tryCleared(n int, align uint64) (s mem.Span, ok bool) {
	if s, ok = p.take(n, align); !ok {
		return s, false
	}
	s, err := p.cleared(s)
	return s, err == nil
}
