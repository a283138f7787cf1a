package slabs

import "github.com/poolgen/poolgen/runtime/poolimpl"

// allocCounted is AllocFast for a request that counts already on the way to the next sample.
func (c *Core) allocCounted(bytes uint64) (slot uint32, off uint64, ok bool) {
	b := c.binOf(bytes)
	if b >= int(c.usable.Load()) {
		return c.back.Alloc(bytes, 1)
	}
	return c.nextSlab(c.procCache(poolimpl.Proc()), b, bytes)
}

// Countdown returns the countdown that AllocFast uses for a request of the caller: that of the processor for requests that slabs serve, else that of the
// suballocator behind.
func (c *Core) Countdown(bytes uint64) *poolimpl.Countdown {
	if c.binOf(bytes) >= int(c.usable.Load()) {
		return c.back.Countdown(bytes)
	}
	return poolimpl.CountdownOfCaller(uint32(len(c.procCaches)), func(i uint32) *poolimpl.Countdown { return &c.procCaches[i].countdown })
}
