package poolimpl

import (
	"math/rand/v2"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// A pool with the key profile samples blocks as Go samples its heap. A block of n bytes is sampled with the probability 1-exp(-n/rate), whatever happens to other
// blocks, so a sample stands for as many blocks as trace.Weight says. Which blocks these are is found by a countdown on the fast path. A free asks Sampled, and
// leaves a block that may be a sample to the engine.

// borrows reports whether a block of another pool is in use at an address. The caller does not hold e.mu.
func (e *Engine) borrows(addr uint64) bool {
	e.lock()
	defer e.unlock()
	return e.foreign.blocks[addr].borrowing != nil
}

// sampleLent samples a block that another pool borrows, with the probability of its size. The caller does not hold e.mu.
func (e *Engine) sampleLent(b foundBlock, bytes uint64) {
	if Observed || !e.generated.Profile {
		return
	}
	if weight := trace.Weight(bytes); rand.Float64()*weight < 1 {
		e.observed.samples.NoteAlloc(b.Addr, bytes, weight, e.observed.samples.Sweeps())
	}
}

// released removes the samples whose blocks Release has freed.
func (e *Engine) released() {
	apart := e.observed.debug.apart()
	e.observed.samples.Retain(func(place uint64) bool {
		_, _, err := e.liveAt(place / apart)
		return err == nil
	})
}

// Calls lists the sampled allocations by the calls that made them. sampled is false if the pool samples none.
func (e *Engine) Calls() (all []trace.Calls, sampled bool) {
	if !poolrt.Traced && !e.generated.Profile {
		return nil, false
	}
	return e.observed.samples.Calls(e.Name()), true
}
