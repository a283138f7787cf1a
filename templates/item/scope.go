package item

import (
	"context"
	"errors"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// If [feature.Locked], AllocContext is Alloc that waits for a block to be freed until ctx ends. If [feature.Locked], the error then matches both
// ctx.Err() and runtime.ErrLimit. Unless [feature.Locked], AllocContext fails where Alloc does, at once: nobody could free a block meanwhile, as the pool has
// no lock.
func (p *Pool) AllocContext(ctx context.Context) (mem.Ref, error) {
	if runtime.Observed {
		return p.watched(func() (mem.Ref, error) { return p.fromEngine(p.ready().AllocContext(ctx, mem.ItemSize, 1)) })
	}
	if r, ok := p.take(); ok {
		if clears {
			return p.cleared(r)
		}
		return r, nil
	}
	return p.fromEngine(p.ready().AllocContext(ctx, mem.ItemSize, 1))
}

// With calls f with a block that is freed when f returns or panics. A nil f is refused with runtime.ErrNoFunc.
func (p *Pool) With(f func(mem.Ref) error) (err error) {
	if f == nil {
		return p.ready().NoFunc()
	}
	r, err := p.Alloc()
	if err != nil {
		return err
	}
	defer func() {
		if failed := p.Free(r); failed != nil { // an error of f alone stays as it is
			err = errors.Join(err, failed)
		}
	}()
	return f(r)
}

// Ref owns one block. It is freed by Release, once; nothing frees it when the Ref is forgotten.
type Ref struct {
	_     runtime.NoCopy
	gen   runtime.Generation
	pool  *Pool
	block mem.Ref
	owns  bool
	//poolgen:if feature.AllocsOn
	stream cuda.Stream // that the block is used on
	//poolgen:if feature.AllocsOn
	onStream bool // it is freed behind the work of the stream
}

// AllocRef is Alloc with an owner for the block.
func (p *Pool) AllocRef() (Ref, error) {
	r, err := p.Alloc()
	if err != nil {
		return Ref{}, err
	}
	return Ref{gen: p.generation(r), pool: p, block: r, owns: true}, nil
}

// Get returns the block while the Ref owns it.
func (r *Ref) Get() mem.Ref {
	if runtime.Debug {
		if r.stale() != nil {
			var none mem.Ref
			return none
		}
	}
	return r.block
}

// generation tells the block from others that have its place later, in programs built with the tag pooldebug.
func (p *Pool) generation(b mem.Ref) (t runtime.Generation) {
	if runtime.Debug {
		t = p.ready().Generation(mem.Place(b))
	}
	return t
}

// stale is what is wrong with a Ref that owns a block, but for a copy of it that was released.
func (r *Ref) stale() error {
	if !r.owns {
		return nil
	}
	return r.pool.ready().Stale(r.gen, mem.Place(r.block))
}

// Release frees the block. A Ref that owns none, because it was released or detached, answers an error that matches
// runtime.ErrDoubleFree.
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
func (r *Ref) Detach() mem.Ref {
	block := r.block
	*r = Ref{pool: r.pool}
	return block
}
