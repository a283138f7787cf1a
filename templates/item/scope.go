package item

import (
	"context"
	"errors"

	"github.com/poolgen/poolgen/runtime"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// AllocContext is Alloc that waits for a block to be freed until ctx ends. The error then matches both ctx.Err() and
// runtime.ErrLimit. In a pool without a lock nobody could free one meanwhile, and it fails at once.
func (p *Pool) AllocContext(ctx context.Context) (mem.Ref, error) {
	if r, ok := p.take(); ok {
		return r, nil
	}
	return p.finish(p.ready().AllocContext(ctx, mem.ItemSize, 1))
}

// With calls f with a block that is freed when f returns or panics.
func (p *Pool) With(f func(mem.Ref) error) (err error) {
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
	pool  *Pool
	block mem.Ref
}

// AllocRef is Alloc with an owner for the block.
func (p *Pool) AllocRef() (Ref, error) {
	r, err := p.Alloc()
	if err != nil {
		return Ref{}, err
	}
	return Ref{pool: p, block: r}, nil
}

// Get returns the block while the Ref owns it.
func (r *Ref) Get() mem.Ref { return r.block }

// Release frees the block. A Ref that owns none, because it was released or detached, answers runtime.ErrDoubleFree.
func (r *Ref) Release() error {
	p := r.pool
	if p == nil {
		return runtime.ErrDoubleFree
	}
	return p.Free(r.Detach())
}

// Detach gives the block up without freeing it: it is the caller's to free.
func (r *Ref) Detach() mem.Ref {
	block := r.block
	*r = Ref{}
	return block
}
