package span

import (
	"github.com/poolgen/poolgen/runtime"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// spillAlloc allocates for another pool, whose ladder names this one.
//
//poolgen:if spilled
func (p *Pool) spillAlloc(device int, bytes, align uint64) (b runtime.Block, err error) {
	if err = p.ready().CanLend(device); err != nil {
		return b, err
	}
	s, err := p.AllocAligned(int(bytes/mem.ItemSize), int(align))
	return runtime.Block{Ptr: mem.SpanPointer(s), Addr: mem.SpanPlace(s)}, err
}

// spillFree takes back what spillAlloc gave.
//
//poolgen:if spilled
func (p *Pool) spillFree(b runtime.Block, bytes uint64) error {
	if runtime.Debug {
		b.Addr /= mem.Spacing
	}
	return p.Free(mem.SpanOf(b, int(bytes/mem.ItemSize)))
}
