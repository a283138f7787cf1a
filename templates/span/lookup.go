package span

import (
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

const _ = feature.Finds // the condition of the declarations below

// Find returns the live block that starts at an address, with the length that was asked for. If there is none, the error matches poolrt.ErrInvalidFree, as
// that of Free would: poolrt.ErrDoubleFree if the block is known to be free or pending, else poolrt.ErrForeign. Find takes the pool's lock and searches the
// chunks.
//
//poolgen:if feature.Finds
func (p *Pool) Find(addr mem.Address) (mem.Span, error) {
	b, err := p.ready().Find(uint64(addr), mem.ItemSize)
	return mem.SpanOf(b), err
}
