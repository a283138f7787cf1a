package poolimpl

import "github.com/poolgen/poolgen/runtime/internal/trace"

// A pool with the key profile samples its blocks as Go samples its heap: see [Sampling]. A free asks Sampled, and leaves a block that may be a sample to the
// engine, which takes it out of the samples before the suballocator has it back.

// profiles reports whether the pool has the key profile.
func (e *Engine) profiles() bool { s := e.generated.Sampling; return s != nil && s.PerByte > 0 }

// profile adds a block to the samples. A block of another pool is left to that pool. The caller does not hold e.mu.
func (e *Engine) profile(of Sample, b foundBlock, bytes uint64) {
	if !e.borrows(b.Addr) {
		e.observed.samples.NoteAlloc(b.Addr, bytes, trace.Weight(bytes), of.sweeps)
	}
}

// borrows reports whether a block of another pool is in use at an address. The caller does not hold e.mu.
func (e *Engine) borrows(addr uint64) bool {
	e.lock()
	defer e.unlock()
	return e.foreign.blocks[addr].borrowing != nil
}

// released removes the samples whose blocks Release has freed.
func (e *Engine) released() {
	apart := e.observed.debug.apart()
	e.observed.samples.Retain(func(place uint64) bool {
		_, _, err := e.liveAt(place / apart)
		return err == nil
	})
}

// Calls lists the sampled allocations by the calls that made them.
func (e *Engine) Calls() []trace.Calls { return e.observed.samples.Calls(e.Name()) }
