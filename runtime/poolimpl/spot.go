package poolimpl

import "os"

// spot is where a new chunk should start.
type spot struct {
	addr uint64 // 0 if any address will do
	end  uint64 // of a chunk that it is to be in one piece with; 0 for none
	room int64  // for the first chunk: how many addresses should be free from there on, for others to follow. 0 for later chunks.
}

// mostRoom is the largest room that is looked for. Nothing is reserved there: what lies in the way of a chunk sends it elsewhere.
const mostRoom = 64 << 30

// nextSpot returns where the next chunk should start, for a core that wants chunks close together: behind all others, at a distance that is a multiple of the
// core's step. If that is too far away for the core to gain from it, the chunk may lie anywhere.
func (e *Engine) nextSpot(align int64) spot {
	all := e.chunks.byAddr.all()
	if Debug || e.core.placed == nil {
		return spot{}
	}
	if len(all) == 0 {
		return spot{room: min(e.limits.limit, mostRoom)}
	}
	last := e.chunks.hot[all[len(all)-1]]
	step, unit := int64(e.core.placed.Step()), max(align, e.memory.Granularity, int64(os.Getpagesize()))
	far := roundUp(last.Size, step/commonDivisor(step, unit)*unit)
	if addr := last.Addr + uint64(far); far <= 2*last.Size && addr > last.Addr {
		return spot{addr: addr}
	}
	return spot{}
}

// alloc calls the source for a chunk at a spot. The caller does not hold e.mu.
func (p spot) alloc(b *Bound, size, align int64) (Chunk, error) {
	if p.end != 0 {
		return b.Behind(p.end, size)
	}
	placer, ok := b.Source.(placer)
	if !ok {
		return b.Source.Alloc(size, align)
	}
	if p.room >= 2*size {
		p.addr = placer.Room(p.room, align)
	}
	if p.addr == 0 {
		return b.Source.Alloc(size, align)
	}
	return placer.AllocAt(p.addr, size, align)
}

// commonDivisor returns the greatest common divisor of two positive numbers.
func commonDivisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
