//go:build pooldebug && cudasim

package debugging

import (
	"bytes"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/pools/debugging/pools"
	"github.com/poolgen/poolgen/tests/pools/internal/rig"
)

// write writes to device memory without the pool.
func write(t *testing.T, at cuda.DevicePtr, b ...byte) {
	t.Helper()
	fatal.If(t, cuda.CopyToDevice(at, b))
}

func TestDeviceZones(t *testing.T) {
	p := new(pools.PlainPool)
	first, err := p.Alloc(size)
	fatal.If(t, err)
	b, err := p.Alloc(size)
	fatal.If(t, err)
	content := make([]byte, size)
	if err := cuda.CopyToHost(content, b.Addr()); err != nil || content[0] != 0xCD {
		t.Errorf("%v, a new block holds % x", err, content)
	}
	write(t, b.Addr()+size, 0x11)
	write(t, b.Addr()-1, 0x12)
	tells(t, is(t, p.Free(b), poolrt.ErrCorrupt), "1 byte behind the block", ": 11;", "1 byte in front of the block", ": 12\n", "TestDeviceZones")
	tells(t, is(t, p.Free(b), poolrt.ErrDoubleFree), "freed")
	write(t, b.Addr()+3, 0x13)
	fatal.If(t, p.Free(first))
	tells(t, is(t, p.Close(), poolrt.ErrCorrupt), "written to after it was freed, from its byte 3 on: 13")
}

func TestDeviceItems(t *testing.T) {
	p := new(pools.DevicePool)
	b, err := p.Alloc()
	fatal.If(t, err)
	write(t, b.Addr()+size, 0x11)
	is(t, p.Free(b), poolrt.ErrCorrupt)
	is(t, p.Free(b), poolrt.ErrDoubleFree)
	is(t, p.Free(b+1), poolrt.ErrForeign)
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// In pools that cannot have gaps between blocks, the other checks work.
func TestDevicePages(t *testing.T) {
	p := new(pools.VirtualPool)
	b, err := p.Alloc(size)
	fatal.If(t, err)
	tells(t, is(t, p.Close(), poolrt.ErrLive), "TestDevicePages")
	fatal.If(t, p.Free(b))
	write(t, b.Addr(), 0x11)
	tells(t, is(t, p.Free(b), poolrt.ErrDoubleFree), "freed")
	is(t, p.Close(), poolrt.ErrCorrupt)
}

// Blocks without gaps have red zones where their length was rounded up, here to 256 bytes, and none otherwise.
func TestDeviceSlack(t *testing.T) {
	slack(t, "pages", new(pools.VirtualPool), pools.VirtualSpan.Addr, func(p *pools.VirtualPool, n int) (pools.VirtualSpan, error) { return p.Alloc(n) })
	slack(t, "shareable", new(pools.ShareablePool), pools.ShareableSpan.Addr, func(p *pools.ShareablePool, n int) (pools.ShareableSpan, error) { return p.Alloc(n) })
	slack(t, "items", new(pools.VirtualCellPool), pools.VirtualCellPtr.Addr, func(p *pools.VirtualCellPool, _ int) (pools.VirtualCellPtr, error) { return p.Alloc() })
}

func slack[B any, P interface {
	whole
	Free(B) error
}](t *testing.T, name string, p P, at func(B) cuda.DevicePtr, alloc func(P, int) (B, error)) {
	t.Run(name, func(t *testing.T) {
		for _, off := range []cuda.DevicePtr{size, 255} {
			b := rig.Must(alloc(p, size))
			write(t, at(b)+off, 0x11)
			tells(t, is(t, p.Free(b), poolrt.ErrCorrupt), "1 byte behind the block", ": 11\n")
		}
		if name != "items" {
			first, second := rig.Must(alloc(p, 256)), rig.Must(alloc(p, 512))
			write(t, at(second), bytes.Repeat([]byte{0x12}, 512)...)
			write(t, at(first), bytes.Repeat([]byte{0x13}, 256)...)
			rig.Check(t, "free", p.Free(first))
			rig.Check(t, "free", p.Free(second))
		}
		rig.Check(t, "close", p.Close())
	})
}

// If the driver fails to fill memory, no write is reported there.
func TestDeviceThatDoesNotFill(t *testing.T) {
	for nth := range 4 {
		p := new(pools.PlainPool)
		other := rig.Must(p.Alloc(size))
		sim.Fail("cuMemsetD8Async", nth+1, 1)
		b := rig.Must(p.Alloc(size))
		rig.Check(t, "free", p.Free(b))
		rig.Check(t, "free", p.Free(other))
		rig.Check(t, "close", p.Close())
		sim.Fail("cuMemsetD8Async", 0, 0)
	}
}

// A stream can reuse its frees at once, and a second free is reported.
func TestDeviceStreams(t *testing.T) {
	s, err := cuda.Device(0).NewStream()
	fatal.If(t, err)
	p := new(pools.PlainPool)
	b, err := p.AllocOn(size, s)
	fatal.If(t, err)
	fatal.If(t, p.FreeOn(b, s))
	tells(t, is(t, p.FreeOn(b, s), poolrt.ErrDoubleFree), "handed out", "freed", "TestDeviceStreams")
	again, err := p.AllocOn(size, s)
	if err != nil || again != b {
		t.Errorf("%v: the stream gets another block", err)
	}
	fatal.If(t, p.Free(again))
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestDeviceDeferred(t *testing.T) {
	s, err := cuda.Device(0).NewStream()
	fatal.If(t, err)
	p := new(pools.DeferredPool)
	b, err := p.Alloc(size)
	fatal.If(t, err)
	fatal.If(t, p.FreeAsync(b, s))
	tells(t, is(t, p.Free(b), poolrt.ErrDoubleFree), "TestDeviceDeferred")
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
