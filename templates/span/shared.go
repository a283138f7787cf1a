package span

import mem "github.com/poolgen/poolgen/templates/hostmem"

// putBack undoes an allocation that must not be: the block may be on a hot place.
//
//go:noinline
//poolgen:if hotAfter
func (p *Pool) putBack(s mem.Span) {
	slot, v := p.core.Undo(mem.SpanAddr(s), mem.SpanBytes(s))
	p.ready().PutBack(slot, v, mem.SpanAddr(s), mem.SpanBytes(s))
}
