package slabs

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/templates/feature"
)

const _ = feature.Sampled // the condition of the declarations below

// weight returns what a request counts on the way to the next sample.
//
//poolgen:if feature.Sampled
func weight(bytes uint64) uint64 { return bytes*feature.SampleByte + feature.SampleBlock }

// allocCounted is AllocFast for a request that counts already on the way to the next sample.
//
//poolgen:if feature.Sampled
func (c *Core) allocCounted(bytes uint64) (slot uint32, off uint64, ok bool) {
	b := binOf(bytes)
	if b >= int(c.usable.Load()) {
		return c.back.Alloc(bytes, 1)
	}
	return c.nextSlab(&c.procCaches[poolimpl.Proc()%maxProcCaches], b, bytes)
}

// Countdown returns the countdown that AllocFast uses for a request of the caller: that of the processor for requests that slabs serve, else that of the
// suballocator behind.
//
//poolgen:if feature.Sampled
func (c *Core) Countdown(bytes uint64) *poolimpl.Countdown {
	if binOf(bytes) >= int(c.usable.Load()) {
		return c.back.Countdown(bytes)
	}
	return poolimpl.CountdownOfCaller(maxProcCaches, func(i uint32) *poolimpl.Countdown { return &c.procCaches[i].countdown })
}
