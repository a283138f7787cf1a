package item

import (
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

const _ = feature.Finds || feature.Indexed // the condition of the declarations below

// Find returns the live block that starts at an address. If there is none, the error matches poolrt.ErrInvalidFree, as that of Free would: poolrt.ErrDoubleFree
// if the block is known to be free or pending, else poolrt.ErrForeign. Find takes the pool's lock and searches the chunks.
//
//poolgen:if feature.Finds
func (p *Pool) Find(addr mem.Address) (mem.Ref, error) {
	b, err := p.ready().Find(uint64(addr), mem.ItemSize)
	return mem.Of(b), err
}

// FreeAt frees the live block that starts at an address. The errors are those of Free.
//
//poolgen:if feature.Finds
func (p *Pool) FreeAt(addr mem.Address) error {
	r, err := p.Find(addr)
	if err != nil {
		return err
	}
	return p.Free(r)
}

// Index returns the index of a block, from 1 on. The index of a nil block, and of what is no block of the pool, is 0. A block has its index for as long as it is
// live. Index takes no lock and does not check whether the block is live.
//
//poolgen:if feature.Indexed
func (p *Pool) Index(r mem.Ref) uint32 {
	at := mem.Addr(r)
	if at == 0 {
		return 0
	}
	base, size := p.engine.OnlyChunk()
	n := p.core.Number(at - base)
	if n >= p.core.Blocks(size) {
		return 0
	}
	return uint32(n) + 1
}

// AtIndex returns the block with an index. For index 0, and one that no block can have, it returns the zero value. AtIndex takes no lock and does not check
// whether the block is live.
//
//poolgen:if feature.Indexed
func (p *Pool) AtIndex(i uint32) (r mem.Ref) {
	_, size := p.engine.OnlyChunk()
	n := uint64(i) - 1 // for index 0, more than any chunk has
	if n >= p.core.Blocks(size) {
		return r
	}
	return mem.OnlyAt(&p.engine, p.core.Offset(n))
}
