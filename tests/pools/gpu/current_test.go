package gpu

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/tests/pools/devices"
)

// While a pool with set_current is open, cuMemAllocAsync calls of the process outside of the pool get memory from the pool's memory pool.
func TestSetCurrent(t *testing.T) {
	l := newLab(t, 0)
	if err := l.device.Supports("device_pool"); err != nil {
		t.Skip(err)
	}
	s := l.streams(1)[0]
	current := func() cuda.MemPool {
		p, err := l.device.CurrentMemPool()
		l.ok("current", err)
		return p
	}
	// taken returns the bytes that an allocation outside of p takes from the memory pool of p.
	taken := func(p *devices.ReigningPool) int64 {
		before, err := p.DriverStats()
		l.ok("stats", err)
		x, err := cuda.AllocAsync(1<<20, s)
		l.ok("alloc", err)
		after, err := p.DriverStats()
		l.ok("stats", err)
		l.ok("free", cuda.FreeAsync(x, s))
		l.ok("synchronize", s.Synchronize())
		return after.Used - before.Used
	}
	before := current()
	p, other := new(devices.ReigningPool), new(devices.OwnPool)
	b, err := p.Alloc(1000)
	l.ok("alloc", err)
	h, err := p.DriverHandle()
	l.ok("handle", err)
	if now := current(); now == before || now.Handle() != h {
		t.Errorf("pool %#x is current; before it was %#x, and this pool's is %#x", now.Handle(), before.Handle(), h)
	}
	if n := taken(p); n < 1<<20 {
		t.Errorf("an allocation outside of the pool takes %d bytes from its memory pool", n)
	}
	c, err := other.Alloc(1000)
	l.ok("alloc", err)
	if now := current(); now.Handle() != h {
		t.Error("a pool without set_current is current")
	}
	l.ok("free", other.Free(c))
	l.ok("close", other.Close())
	l.ok("free", p.Free(b))
	l.ok("close", p.Close())
	if now := current(); now != before {
		t.Errorf("pool %#x is current after Close, and was %#x before", now.Handle(), before.Handle())
	}
}
