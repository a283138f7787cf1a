package span

import (
	"context"
	"errors"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// If [feature.Locked], AllocContext is Alloc that waits for blocks to be freed until ctx ends. If [feature.Locked], the error then matches both
// ctx.Err() and runtime.ErrLimit. Unless [feature.Locked], AllocContext fails where Alloc does, at once: nobody could free a block meanwhile, as the pool has
// no lock.
func (p *Pool) AllocContext(ctx context.Context, n int) (s mem.Span, _ error) {
	if runtime.Observed {
		return p.watched(n, 1, func(n int, _ uint64) (mem.Span, error) { return p.allocWaiting(ctx, n) })
	}
	if s, ok := p.take(n, 1); ok {
		if clears {
			return p.cleared(s)
		}
		return s, nil
	}
	return p.allocWaiting(ctx, n)
}

// allocWaiting has the engine find a block until ctx ends.
func (p *Pool) allocWaiting(ctx context.Context, n int) (s mem.Span, _ error) {
	if uint64(n)-1 >= maxItems {
		return s, p.ready().BadCount(n)
	}
	b, err := p.ready().AllocContext(ctx, uint64(n)*mem.ItemSize, 1)
	return p.fromEngine(b, n, err)
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
	gen   runtime.Generation
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
	return Ref{gen: p.generation(s), pool: p, block: s, owns: true}, nil
}

// Get returns the block while the Ref owns it.
//
//poolgen:if frees
func (r *Ref) Get() mem.Span {
	if runtime.Debug {
		if r.stale() != nil {
			var none mem.Span
			return none
		}
	}
	return r.block
}

// generation tells the block from others that have its place later, in programs built with the tag pooldebug.
//
//poolgen:if frees
func (p *Pool) generation(b mem.Span) (t runtime.Generation) {
	if runtime.Debug {
		t = p.ready().Generation(mem.SpanPlace(b))
	}
	return t
}

// stale is what is wrong with a Ref that owns a block, but for a copy of it that was released.
//
//poolgen:if frees
func (r *Ref) stale() error {
	if !r.owns {
		return nil
	}
	return r.pool.ready().Stale(r.gen, mem.SpanPlace(r.block))
}

// Release frees the block. A Ref that owns none, because it was released or detached, answers an error that matches
// runtime.ErrDoubleFree.
//
//poolgen:if frees
func (r *Ref) Release() error {
	if r.owns {
		if runtime.Debug {
			if err := r.stale(); err != nil {
				r.Detach()
				return err
			}
		}
		if feature.AllocsOn {
			if r.onStream {
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
