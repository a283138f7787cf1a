package span

import (
	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

const _ = feature.Shareable // the condition of the declarations below

// Share returns a description of a live block, to be sent to processes that have imported the pool: Open finds the block there. The chunk
// of the block stays with the pool until Close. The streams of two processes are not ordered: wait for the work on the block before the
// description is sent, and free the block after all other processes have freed it. Share calls the driver if the memory was not shared
// before.
//
//poolgen:if feature.Shareable
func (p *Pool) Share(block mem.Span) (cuda.Shared, error) {
	return cuda.Share(p.ready(), mem.SpanAddr(block), mem.SpanBytes(block), mem.ItemSize)
}

// Open finds a block that another process has shared: the one that exported this pool. The block is live here until it is freed, which
// closes it here and frees nothing in the other process. Open refuses a description that is not of a block of the exporting pool, and one
// of a block that is open.
//
//poolgen:if feature.Shareable
func (p *Pool) Open(s cuda.Shared) (mem.Span, error) {
	b, err := cuda.OpenShared(p.ready(), s, mem.ItemSize, false)
	return mem.SpanOf(b), err
}
