package span

import (
	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/templates/feature"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

const _ = feature.Shareable // the condition of what stands here

// Share describes a live block to processes that have imported the pool: what it returns goes there by whatever connects the two, and Open finds the
// block. The chunk of the block stays with the pool until Close. Nothing orders the streams of two processes: wait for the
// work on the block before the description is sent, and free the block when all others have freed it. Memory
// that was not shared before costs calls of the driver.
//
//poolgen:if feature.Shareable
func (p *Pool) Share(block mem.Span) (cuda.Shared, error) {
	return cuda.Share(p.ready(), mem.SpanAddr(block), mem.SpanBytes(block), mem.ItemSize)
}

// Open finds a block that another process has shared, the one that this pool was imported from. It is live here until it is freed, which
// closes it and frees nothing over there. What describes no block of the exporting pool, or one that is open, is refused.
//
//poolgen:if feature.Shareable
func (p *Pool) Open(s cuda.Shared) (mem.Span, error) {
	b, err := cuda.OpenShared(p.ready(), s, mem.ItemSize, false)
	return mem.SpanOf(b), err
}
