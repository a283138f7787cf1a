package poolimpl

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// A pool with the key profile samples its blocks as Go samples its heap: see [Sampling]. A free asks Sampled, and leaves a block that may be a sample to the
// engine, which takes it out of the samples before the suballocator has it back.

// profiles reports whether the pool has the key profile.
func (c *Config) profiles() bool { return c.Sampling != nil && c.Sampling.profiles() }

func (s *Sampling) profiles() bool { return s.PerByte > 0 }

// leaks lists the live blocks that were sampled.
func (s *Sampling) leaks(m *trace.Samples, pool, unit string) (all []poolrt.Leak) {
	for _, l := range m.Live() {
		all = append(all, poolrt.Leak{Pool: pool, Count: l.Blocks, Bytes: l.Bytes, Since: l.Since, Stack: l.Stack, Unit: unit, Sampled: l.Estimated})
	}
	return all
}

// unsample takes a block that was not handed out after all out of the samples. On a stream it counts as allocated and freed.
func (e *Engine) unsample(addr, bytes uint64, s *Stream) {
	place := addr * e.observed.debug.apart()
	if s == nil || e.core.driver != nil {
		e.observed.samples.Withdraw(place, bytes)
		return
	}
	e.observed.samples.Take(place, bytes)
}

// borrows reports whether a block of another pool is in use at an address. The caller does not hold e.mu.
func (e *Engine) borrows(addr uint64) bool {
	e.lock()
	defer e.unlock()
	return e.foreign.blocks[addr].borrowed != nil
}

// released removes the samples whose blocks Release has freed.
func (e *Engine) released() {
	apart := e.observed.debug.apart()
	e.observed.samples.Retain(func(place uint64) bool {
		return e.foreign.has(place/apart) || e.chunks.inUse(e.core.Core, place/apart)
	})
}

// Calls lists the sampled allocations by the calls that made them.
func (e *Engine) Calls() []trace.Calls { return e.observed.samples.Calls(e.Name()) }
