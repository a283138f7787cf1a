package span

import (
	"github.com/poolgen/poolgen/runtime"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// What stands here is called in programs that are built with the tag pooldebug or pooltrace, and is left out of all others.

// observer is the engine, which only a debug build needs ready before a block is there.
func (p *Pool) observer() *runtime.Engine {
	if runtime.Debug {
		return p.ready()
	}
	return &p.engine
}

// watched takes a block from the chunks that are there or, failing that, with find, and begins to watch it.
func (p *Pool) watched(n int, align uint64, find func(int, uint64) (mem.Span, error)) (s mem.Span, err error) {
	e := p.observer()
	turn, err := e.BeginUse("alloc")
	if err != nil {
		return s, err
	}
	defer e.EndUse()
	s, ok := p.take(n, align)
	if !ok {
		e.BypassQuarantine()
		defer e.EndBypass()
		s, err = find(n, align)
	} else if clears {
		s, err = p.cleared(s)
	}
	if err == nil {
		e.ObserveAlloc(turn, mem.SpanPlace(s), mem.SpanPointer(s), mem.SpanBytes(s), nil)
	}
	return s, err
}

// tryWatched is TryAlloc.
func (p *Pool) tryWatched(n int) (mem.Span, bool) {
	s, err := p.watched(n, 1, func(n int, align uint64) (s mem.Span, err error) {
		s, ok := p.take(n, align)
		if !ok {
			return s, runtime.ErrLimit
		}
		if clears {
			return p.cleared(s)
		}
		return s, nil
	})
	return s, err == nil
}

// leaving sees to a free, which goes on unless done is set.
//
//poolgen:if frees
func (p *Pool) leaving(s mem.Span) (done bool, err error) {
	return p.observer().ObserveFree(runtime.Call{}, mem.SpanPlace(s), mem.SpanBytes(s), nil, func() error { return p.give(s) })
}

// give gives a block to the suballocator.
//
//poolgen:if frees
func (p *Pool) give(s mem.Span) error {
	if exclusive {
		p.engine.Lock()
	}
	slot, v := p.core.Free(mem.SpanAddr(s), mem.SpanBytes(s))
	if exclusive {
		p.engine.Unlock()
	}
	if p.engine.HasWaiters() {
		p.ready().WakeWaiters()
	}
	if v == runtime.Freed {
		return nil
	}
	return p.freeSlow(s, slot, v)
}
