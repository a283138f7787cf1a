package gpu

import (
	"slices"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/devices/chosen"
)

// chosenOn makes a pool with each allocator that works on the device, and checks that the pool has it.
func chosenOn[P interface {
	Effective() (allocator, reason string)
	whole
}](l *lab, allocators []string, open func(...poolrt.Option) (P, error), try func(allocator string, p P)) {
	l.Helper()
	for _, allocator := range allocators {
		if err := l.device.Supports(allocator); err != nil && !slices.Contains([]string{"host", "custom"}, allocator) {
			l.Logf("%s: %v", allocator, err)
			continue
		}
		p, err := open(poolrt.WithAllocator(allocator))
		l.ok(allocator, err)
		if got, why := p.Effective(); got != allocator || why != "" {
			l.Errorf("%s: %s is in force, %q", allocator, got, why)
		}
		try(allocator, p)
		if s := p.Stats(); s.Live != 0 || s.Reserved == 0 {
			l.Errorf("%s: %+v", allocator, s)
		}
		_, err = p.Trim(0)
		l.ok("trim", err)
		if s := p.Stats(); s.Reserved != 0 {
			l.Errorf("%s: %+v", allocator, s)
		}
		l.ok("close", p.Close())
	}
}

// Whichever allocator a program chooses, blocks lie apart, and streams hand them to each other.
func TestChosenOnDevice(t *testing.T) {
	l := newLab(t, 0)
	on := l.streams(2)
	chosenOn(l, []string{"device_virtual", "device_pool", "device_async", "device"}, chosen.NewFlowPool, func(allocator string, p *chosen.FlowPool) {
		var blocks []chosen.FlowSpan
		for i := range 30 {
			b, err := p.AllocOn(250_000, on[i%2])
			l.ok(allocator, err)
			blocks = append(blocks, b)
		}
		apart(l, blocks)
		for i, b := range blocks[:15] {
			l.ok("free", p.FreeOn(b, on[i%2]))
		}
		blocks = blocks[15:]
		for range 10 {
			b, err := p.AllocOn(300_000, on[0])
			l.ok(allocator, err)
			blocks = append(blocks, b)
		}
		apart(l, blocks)
		for i, b := range blocks {
			l.ok("free", p.FreeAsync(b, on[i%2]))
		}
		l.ok("synchronize", l.device.Synchronize())
		p.Poll()
	})
}

// Bytes of each kind of memory that Go code addresses go to the device and back.
func TestChosenOnHost(t *testing.T) {
	l := newLab(t, 0)
	s := l.streams(1)[0]
	device, err := chosen.NewFlowPool()
	l.ok("device", err)
	at, err := device.AllocOn(1<<20, s)
	l.ok("alloc", err)
	chosenOn(l, []string{"host", "pinned", "managed", "custom"}, chosen.NewStagePool, func(allocator string, p *chosen.StagePool) {
		up, err := p.Alloc(1 << 20)
		l.ok(allocator, err)
		down, err := p.Alloc(1 << 20)
		l.ok(allocator, err)
		for i := range up {
			if up[i] != 0 || down[i] != 0 {
				l.Fatalf("%s: byte %d is not zero", allocator, i)
			}
			up[i] = byte(i * 7)
		}
		l.ok("copy", device.CopyToDevice(at, up, s))
		l.ok("copy", device.CopyToHost(down, at, s))
		l.ok("synchronize", s.Synchronize())
		if !slices.Equal(up, down) {
			l.Errorf("%s: the bytes differ", allocator)
		}
		l.ok("free", p.Free(up))
		l.ok("free", p.Free(down))
	})
	l.ok("free", device.FreeOn(at, s))
	l.ok("synchronize", s.Synchronize())
	l.ok("close", device.Close())
}
