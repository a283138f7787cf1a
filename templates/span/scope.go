package span

import (
	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// With calls f with a block of length n, and frees the block when f returns or panics. A nil f is refused with poolrt.ErrNoFunc.
//
//poolgen:if frees
func (p *Pool) With(n int, f func(mem.Span) error) error {
	if f == nil {
		return p.ready().Refuse(poolimpl.NoFunc)
	}
	return poolimpl.With(func() (mem.Span, error) { return p.Alloc(n) }, p.Free, f)
}

// Ref owns one block. Release frees the block, once; a Ref that is dropped does not free it.
//
//poolgen:if frees
type Ref struct {
	gen   poolimpl.Generation // of size 0 without the tag pooldebug
	pool  *Pool
	block mem.Span
	owns  bool
	//poolgen:if feature.AllocsOn
	stream cuda.Stream // stream that the block is used on
	//poolgen:if feature.AllocsOn
	onStream bool // Release frees the block on stream
}

// AllocRef is like Alloc, but returns a [Ref] that owns the block.
//
//poolgen:if frees
func (p *Pool) AllocRef(n int) (Ref, error) {
	s, err := p.Alloc(n)
	if err != nil {
		return Ref{}, err
	}
	return Ref{gen: p.engine.Generation(mem.SpanPlace(s)), pool: p, block: s, owns: true}, nil
}

// Get returns the block, or the zero value if the Ref owns none.
//
//poolgen:if frees
func (r *Ref) Get() (block mem.Span) {
	if poolimpl.Debug && r.stale() != nil {
		return block
	}
	return r.block
}

// Release frees the block. If the Ref owns none, because it was released or detached, the error matches poolrt.ErrDoubleFree.
//
//poolgen:if frees
func (r *Ref) Release() error {
	if poolimpl.Debug || !r.owns {
		if err := r.stale(); err != nil {
			r.Detach()
			return err
		}
	}
	if feature.AllocsOn {
		if r.onStream {
			return r.pool.FreeOn(r.Detach(), r.stream)
		}
	}
	return r.pool.Free(r.Detach())
}

// stale returns the error of a Ref that owns no block, or whose block a copy of the Ref has released.
//
//poolgen:if frees
func (r *Ref) stale() error {
	var e *poolimpl.Engine
	if r.pool != nil {
		e = r.pool.ready()
	}
	return e.Stale(r.owns, r.gen, mem.SpanPlace(r.block))
}

// Detach returns the block without freeing it. The Ref does not own the block afterwards; the caller does.
//
//poolgen:if frees
func (r *Ref) Detach() (block mem.Span) {
	block, r.block, r.owns = r.block, block, false
	return block
}
