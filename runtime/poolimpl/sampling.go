package poolimpl

import (
	"math"
	"math/rand/v2"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// ProfileRate is how many bytes are allocated for one block that a profile samples, in the mean: as many as in a heap profile of Go.
const ProfileRate = trace.Rate

// Sampling says which blocks of a pool are sampled. There are two kinds of samples, independent of each other. Each request has a weight of PerBlock, and of
// PerByte for each of its bytes. A sample is due each time that requests with a weight of Mean were made, in the mean, so a request has an exact probability of
// each kind of sample, whatever other requests there are.
type Sampling struct {
	Weights
	Mean  float64 // 0: all blocks are sampled
	Align uint64  // of guarded blocks; 0: as their length implies
}

// Weights are what requests count on the way to the next sample. Without any, no block is sampled.
type Weights struct {
	PerBlock uint64 // that a block is guarded; 0: none is
	PerByte  uint64 // that a byte is profiled; 0: none is
}

// Any reports whether blocks are sampled.
func (w Weights) Any() bool { return w.PerBlock|w.PerByte != 0 }

// Of returns the weight of a request.
func (w Weights) Of(bytes uint64) uint64 { return w.PerBlock + w.PerByte*bytes }

// Sampler is [Sampling], as an interface, so that programs whose pools sample no blocks do not link what is done with samples.
type Sampler interface {
	profiles() bool
	sample(e *Engine, bytes uint64, counted bool) Sample
	treat(e *Engine, of Sample, b foundBlock, bytes, align uint64) foundBlock
	withdraw(e *Engine, addr uint64) uint64
	freeGuarded(e *Engine, addr, bytes uint64) (known bool, err error)
	beginSweep(e *Engine)
	endSweep(e *Engine)
	leaks(m *trace.Samples, pool, unit string) []poolrt.Leak
}

// Sample is what is done with a block.
type Sample struct {
	Guard   bool // its memory gets guard pages
	Profile bool // it counts in a profile

	sweeps uint64 // of samples, before the block was found
	turns  uint64 // of guards, before the block was found
}

// any reports whether anything is done with the block.
func (of Sample) any() bool { return of.Guard || of.Profile }

// SampledCore is a [SharedCore] of a pool that samples its blocks. AllocFast, which fails if the block is to be sampled, counts each request once. Other methods
// count none.
type SampledCore interface {
	SharedCore
	// Countdown returns the countdown that AllocFast of the caller uses for a request.
	Countdown(bytes uint64) *Countdown
}

// exponential returns an exponentially distributed number with the mean 1. Tests replace it.
var exponential = rand.ExpFloat64

// uniform returns a uniformly distributed number from 0 up to, but not including, 1. Tests replace it.
var uniform = rand.Float64

// interval returns what requests spend until the next sample.
func (s *Sampling) interval() uint64 { return uint64(exponential() * s.Mean) }

// chance returns the probability that a request with a weight is sampled.
func (s *Sampling) chance(weight uint64) float64 {
	if weight == 0 {
		return 0
	}
	return -math.Expm1(-float64(weight) / s.Mean)
}

// kinds decides what is done with a block that is sampled: at least one thing.
func (s *Sampling) kinds(bytes uint64) (of Sample) {
	if of = (Sample{Guard: s.PerBlock > 0, Profile: s.PerByte > 0}); !of.Guard || !of.Profile {
		return of
	}
	guard, profile := s.chance(s.PerBlock), s.chance(s.PerByte*bytes)
	of.Guard = uniform()*(guard+profile-guard*profile) < guard
	of.Profile = !of.Guard || uniform() < profile
	return of
}

// Countdown returns the countdown for a request of the caller. Unless the core is shared, it is used with e.mu held.
func (e *Engine) Countdown(bytes uint64) *Countdown {
	if e.core.sampled != nil {
		return e.core.sampled.Countdown(bytes)
	}
	return &e.sampled.Countdown
}

// sample says what is done with the block of a request: it takes the sample if the countdown has run out. counted: the request has left the fast path, where it was
// counted. The caller does not hold e.mu.
func (e *Engine) sample(bytes uint64, counted bool) (of Sample) {
	if s := e.generated.Sampling; !Observed && s != nil {
		of = s.sample(e, bytes, counted)
	}
	return of
}

func (s *Sampling) sample(e *Engine, bytes uint64, counted bool) (of Sample) {
	if e.core.sampled == nil {
		e.lock()
		defer e.unlock()
	}
	c := e.Countdown(bytes)
	if due := counted && c.Due() || !counted && c.Spend(s.Of(bytes)); !due || !c.take(s.interval) {
		return Sample{}
	}
	of = s.kinds(bytes)
	of.sweeps = e.observed.samples.Sweeps()
	of.turns = e.guards.turn()
	return of
}

// treat does with a block what its sample says, and returns the block that the caller of the allocation gets. The caller does not hold e.mu.
func (e *Engine) treat(of Sample, b foundBlock, bytes, align uint64) foundBlock {
	if of.any() {
		b = e.generated.Sampling.treat(e, of, b, bytes, align)
	}
	return b
}

func (s *Sampling) treat(e *Engine, of Sample, b foundBlock, bytes, align uint64) foundBlock {
	if of.Guard {
		b = s.guard(e, of, b, bytes, align)
	}
	if of.Profile && !e.borrows(b.Addr) { // a block of another pool is left to that pool
		e.observed.samples.NoteAlloc(b.Addr, bytes, trace.Weight(bytes), of.sweeps)
	}
	return b
}

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
