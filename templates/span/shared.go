package span

import mem "github.com/poolgen/poolgen/templates/hostmem"

// undo undoes an allocation that must not be: the block may be on a hot place.
//
//go:noinline
//poolgen:if inFlightAfter
func (p *Pool) undo(s mem.Span) {
	slot, v := p.core.Undo(mem.SpanAddr(s), mem.SpanBytes(s))
	p.ready().Undo(slot, v, mem.SpanAddr(s), mem.SpanBytes(s))
}
