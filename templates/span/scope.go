package span

import (
	"errors"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// With calls f with a block of n items that is freed when f returns or panics. A nil f is refused with poolrt.ErrNoFunc.
//
//poolgen:if frees
func (p *Pool) With(n int, f func(mem.Span) error) (err error) {
	if f == nil {
		return p.ready().Refuse(poolimpl.NoFunc)
	}
	s, err := p.Alloc(n)
	if err != nil {
		return err
	}
	defer func() {
		if failed := p.Free(s); failed != nil { // an error of f alone stays as it is
			err = errors.Join(err, failed)
		}
	}()
	return f(s)
}

// Ref owns one block. It is freed by Release, once; nothing frees it when the Ref is forgotten.
//
//poolgen:if frees
type Ref struct {
	gen   poolimpl.Generation // of no size but with the tag pooldebug
	pool  *Pool
	block mem.Span
	owns  bool
	//poolgen:if feature.AllocsOn
	stream cuda.Stream // that the block is used on
	//poolgen:if feature.AllocsOn
	onStream bool // it is freed behind the work of the stream
}

// AllocRef is Alloc with an owner for the block.
//
//poolgen:if frees
func (p *Pool) AllocRef(n int) (Ref, error) {
	s, err := p.Alloc(n)
	if err != nil {
		return Ref{}, err
	}
	return Ref{gen: p.engine.Generation(mem.SpanPlace(s)), pool: p, block: s, owns: true}, nil
}

// Get returns the block while the Ref owns it.
//
//poolgen:if frees
func (r *Ref) Get() (block mem.Span) {
	if poolimpl.Debug && r.stale() != nil {
		return block
	}
	return r.block
}

// Release frees the block. A Ref that owns none, because it was released or detached, answers an error that matches poolrt.ErrDoubleFree.
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

// stale is the error of a Ref that owns no block, or one that a copy of it has released.
//
//poolgen:if frees
func (r *Ref) stale() error {
	var e *poolimpl.Engine
	if r.pool != nil {
		e = r.pool.ready()
	}
	return e.Stale(r.owns, r.gen, mem.SpanPlace(r.block))
}

// Detach gives the block up without freeing it: it is the caller's to free.
//
//poolgen:if frees
func (r *Ref) Detach() (block mem.Span) {
	block, r.block, r.owns = r.block, block, false
	return block
}
