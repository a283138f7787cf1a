package span

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

const _ = feature.Finds || feature.Resizes // the condition of the declarations below

// Find returns the live block that starts at an address, with the length that was asked for. If there is none, the error matches poolrt.ErrInvalidFree, as
// that of Free would: poolrt.ErrDoubleFree if the block is known to be free or pending, else poolrt.ErrForeign. Find takes the pool's lock.
//
//poolgen:if feature.Finds
func (p *Pool) Find(addr mem.Address) (mem.Span, error) {
	b, err := p.ready().Find(uint64(addr), mem.ItemSize)
	return mem.SpanOf(b), err
}

// Usable returns the length of the live block that starts at an address, 0 if there is none.
//
//poolgen:if feature.Finds
func (p *Pool) Usable(addr mem.Address) int {
	b, _ := p.ready().Find(uint64(addr), mem.ItemSize)
	return b.Items
}

// FreeAt frees the live block that starts at an address, whatever its length. The errors are those of Free.
//
//poolgen:if feature.Finds && frees
func (p *Pool) FreeAt(addr mem.Address) error {
	if poolimpl.Observed || feature.ByDriver || profiled {
		return p.freeFound(addr)
	}
	if exclusive {
		p.engine.Lock()
	}
	var slot uint32
	v := poolimpl.Foreign
	_, _, n, ok := p.core.BlockAt(uint64(addr))
	if ok {
		slot, v = p.core.Free(uint64(addr), n)
	}
	if exclusive {
		p.engine.Unlock()
	}
	switch {
	case !ok: // no block, or one that is borrowed or guarded
		return p.freeFound(addr)
	case v == poolimpl.Freed && !p.engine.HasWaiters():
		return nil
	}
	return p.ready().FreeSlow(slot, v, uint64(addr), n)
}

// freeFound is FreeAt for blocks that the engine has to find.
//
//poolgen:if feature.Finds && frees
func (p *Pool) freeFound(addr mem.Address) error {
	b, err := p.ready().FindFor("free", uint64(addr), mem.ItemSize, poolimpl.AnyLength)
	if err != nil {
		return err
	}
	return p.Free(mem.SpanOf(b))
}

// Resize returns the block with a length of n: the same block if there is room where it is, else a new one with the items of the old one, which
// is freed. Items beyond the old length are as Alloc leaves them. If Resize fails, it returns the block as it was. The errors are those of Alloc and of Free.
//
//poolgen:if feature.Resizes
func (p *Pool) Resize(s mem.Span, n int) (mem.Span, error) {
	if !poolimpl.Observed && !profiled && uint64(n)-1 < mem.MaxItems && p.resize(s, uint64(n)*mem.ItemSize) {
		return mem.Resized(s, n), nil
	}
	if _, err := p.ready().FindFor("resize", mem.SpanPlace(s), mem.ItemSize, mem.SpanBytes(s)); err != nil {
		return s, err
	}
	moved, err := p.Alloc(n)
	if err != nil {
		return s, err
	}
	copy(moved, s)
	return moved, p.Free(s)
}

// resize makes a block one of so many bytes where it is, and reports whether there is room.
//
//poolgen:if feature.Resizes
func (p *Pool) resize(s mem.Span, bytes uint64) bool {
	if exclusive {
		p.engine.Lock()
		defer p.engine.Unlock()
	}
	return !p.engine.HasWaiters() && p.core.Resize(mem.SpanAddr(s), mem.SpanBytes(s), bytes)
}
