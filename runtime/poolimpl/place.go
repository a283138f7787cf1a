package poolimpl

import "os"

// place returns where a new chunk should start: below all others, at a distance that is a multiple of the core's step. It is 0 if the chunk may lie anywhere,
// or would have to lie so far away that its core has no use for it.
func (e *Engine) place(size, align int64) uint64 {
	all := e.chunks.byAddr.all()
	if Debug || e.core.placed == nil || len(all) == 0 {
		return 0
	}
	step, unit := int64(e.core.placed.Step()), max(align, e.memory.Granularity, int64(os.Getpagesize()))
	far := roundUp(size, step/commonDivisor(step, unit)*unit)
	if low := int64(e.chunks.hot[all[0]].Addr); far <= 2*size && far < low {
		return uint64(low - far)
	}
	return 0
}

// commonDivisor returns the greatest common divisor of two positive numbers.
func commonDivisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
