package item

import (
	"github.com/poolgen/poolgen/runtime"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// spillAlloc allocates for another pool, whose ladder names this one.
//
//poolgen:if spilled
func (p *Pool) spillAlloc(device int, _, _ uint64) (b runtime.Block, err error) {
	if err = p.ready().CanLend(device); err != nil {
		return b, err
	}
	r, err := p.Alloc()
	return runtime.Block{Ptr: mem.Pointer(r), Addr: mem.Place(r)}, err
}

// spillFree takes back what spillAlloc gave.
//
//poolgen:if spilled
func (p *Pool) spillFree(b runtime.Block, _ uint64) error {
	if runtime.Debug {
		b.Addr /= mem.Spacing
	}
	return p.Free(mem.Of(b))
}
