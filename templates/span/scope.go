package span

import (
	"context"
	"errors"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// AllocContext is Alloc that waits for blocks to be freed until ctx ends. The error then matches both ctx.Err() and
// runtime.ErrLimit. In a pool without a lock nobody could free one meanwhile, and it fails at once.
func (p *Pool) AllocContext(ctx context.Context, n int) (s mem.Span, _ error) {
	if s, ok := p.take(n, 1); ok {
		if clears {
			return p.cleared(s)
		}
		return s, nil
	}
	if uint64(n)-1 >= maxItems {
		return s, p.ready().BadCount(n)
	}
	b, err := p.ready().AllocContext(ctx, uint64(n)*mem.ItemSize, 1)
	return p.finish(b, n, err)
}

// With calls f with a block of n items that is freed when f returns or panics. A nil f is refused with runtime.ErrNoFunc.
//
//poolgen:if frees
func (p *Pool) With(n int, f func(mem.Span) error) (err error) {
	if f == nil {
		return p.ready().NoFunc()
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
	_     runtime.NoCopy
	pool  *Pool
	block mem.Span
	owns  bool
	//poolgen:if feature.AllocsOn
	stream cuda.Stream // that the block is used on
	//poolgen:if feature.AllocsOn
	behind bool // it is freed behind the work of the stream
}

// AllocRef is Alloc with an owner for the block.
//
//poolgen:if frees
func (p *Pool) AllocRef(n int) (Ref, error) {
	s, err := p.Alloc(n)
	if err != nil {
		return Ref{}, err
	}
	return Ref{pool: p, block: s, owns: true}, nil
}

// Get returns the block while the Ref owns it.
//
//poolgen:if frees
func (r *Ref) Get() mem.Span { return r.block }

// Release frees the block. A Ref that owns none, because it was released or detached, answers an error that matches
// runtime.ErrDoubleFree.
//
//poolgen:if frees
func (r *Ref) Release() error {
	if r.owns {
		if feature.AllocsOn {
			if r.behind {
				p, s := r.pool, r.stream
				return p.FreeOn(r.Detach(), s)
			}
		}
		return r.pool.Free(r.Detach())
	}
	var e *runtime.Engine
	if r.pool != nil {
		e = r.pool.ready()
	}
	return e.NotOwned()
}

// Detach gives the block up without freeing it: it is the caller's to free.
//
//poolgen:if frees
func (r *Ref) Detach() mem.Span {
	block := r.block
	*r = Ref{pool: r.pool}
	return block
}
