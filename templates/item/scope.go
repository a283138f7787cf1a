package item

import (
	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// With calls f with a block, and frees the block when f returns or panics. A nil f is refused with poolrt.ErrNoFunc.
func (p *Pool) With(f func(mem.Ref) error) error {
	if f == nil {
		return p.ready().Refuse(poolimpl.NoFunc)
	}
	return poolimpl.With(p.Alloc, p.Free, f)
}

// Ref owns one block. Release frees the block, once; a Ref that is dropped does not free it.
type Ref struct {
	gen   poolimpl.Generation // of size 0 without the tag pooldebug
	pool  *Pool
	block mem.Ref
	owns  bool
	//poolgen:if feature.AllocsOn
	stream cuda.Stream // stream that the block is used on
	//poolgen:if feature.AllocsOn
	onStream bool // Release frees the block on stream
}

// AllocRef is like Alloc, but returns a [Ref] that owns the block.
func (p *Pool) AllocRef() (Ref, error) {
	r, err := p.Alloc()
	if err != nil {
		return Ref{}, err
	}
	return Ref{gen: p.engine.Generation(mem.Place(r)), pool: p, block: r, owns: true}, nil
}

// Get returns the block, or the zero value if the Ref owns none.
func (r *Ref) Get() (block mem.Ref) {
	if poolimpl.Debug && r.stale() != nil {
		return block
	}
	return r.block
}

// Release frees the block. If the Ref owns none, because it was released or detached, the error matches poolrt.ErrDoubleFree.
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
func (r *Ref) stale() error {
	var e *poolimpl.Engine
	if r.pool != nil {
		e = r.pool.ready()
	}
	return e.Stale(r.owns, r.gen, mem.Place(r.block))
}

// Detach returns the block without freeing it. The Ref does not own the block afterwards; the caller does.
func (r *Ref) Detach() (block mem.Ref) {
	block, r.block, r.owns = r.block, block, false
	return block
}
