//go:build pooldebug && cudasim

package debugging

import (
	"testing"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/debugging/pools"
)

// write writes to device memory behind the back of the pool.
func write(t *testing.T, at cuda.DevicePtr, b ...byte) {
	t.Helper()
	if err := cuda.CopyToDevice(at, b); err != nil {
		t.Fatal(err)
	}
}

func TestDeviceZones(t *testing.T) {
	p := new(pools.PlainPool)
	first, err := p.Alloc(size)
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.Alloc(size)
	if err != nil {
		t.Fatal(err)
	}
	content := make([]byte, size)
	if err := cuda.CopyToHost(content, b.Addr()); err != nil || content[0] != 0xCD {
		t.Errorf("%v, a new block holds % x", err, content)
	}
	write(t, b.Addr()+size, 0x11)
	write(t, b.Addr()-1, 0x12)
	tells(t, is(t, p.Free(b), poolrt.ErrCorrupt), "1 bytes behind the block", ": 11;", "1 bytes in front of the block", ": 12\n", "TestDeviceZones")
	tells(t, is(t, p.Free(b), poolrt.ErrDoubleFree), "freed")
	write(t, b.Addr()+3, 0x13)
	if err := p.Free(first); err != nil {
		t.Fatal(err)
	}
	tells(t, is(t, p.Close(), poolrt.ErrCorrupt), "written to after it was freed, from its byte 3 on: 13")
}

func TestDeviceItems(t *testing.T) {
	p := new(pools.DevicePool)
	b, err := p.Alloc()
	if err != nil {
		t.Fatal(err)
	}
	write(t, b.Addr()+size, 0x11)
	is(t, p.Free(b), poolrt.ErrCorrupt)
	is(t, p.Free(b), poolrt.ErrDoubleFree)
	is(t, p.Free(b+1), poolrt.ErrForeign)
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// Where blocks cannot lie apart, what is left of the checks works.
func TestDevicePages(t *testing.T) {
	p := new(pools.VirtualPool)
	b, err := p.Alloc(size)
	if err != nil {
		t.Fatal(err)
	}
	tells(t, is(t, p.Close(), poolrt.ErrLive), "TestDevicePages")
	if err := p.Free(b); err != nil {
		t.Fatal(err)
	}
	write(t, b.Addr(), 0x11)
	tells(t, is(t, p.Free(b), poolrt.ErrDoubleFree), "freed")
	is(t, p.Close(), poolrt.ErrCorrupt)
}

// What is freed on a stream is not touched, and a second free is told of.
func TestDeviceStreams(t *testing.T) {
	s, err := cuda.Device(0).NewStream()
	if err != nil {
		t.Fatal(err)
	}
	p := new(pools.PlainPool)
	b, err := p.AllocOn(size, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.FreeOn(b, s); err != nil {
		t.Fatal(err)
	}
	tells(t, is(t, p.FreeOn(b, s), poolrt.ErrDoubleFree), "handed out", "freed", "TestDeviceStreams")
	again, err := p.AllocOn(size, s)
	if err != nil || again != b {
		t.Errorf("%v: the stream gets another block", err)
	}
	if err := p.Free(again); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestDeviceDeferred(t *testing.T) {
	s, err := cuda.Device(0).NewStream()
	if err != nil {
		t.Fatal(err)
	}
	p := new(pools.DeferredPool)
	b, err := p.Alloc(size)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.FreeAsync(b, s); err != nil {
		t.Fatal(err)
	}
	tells(t, is(t, p.Free(b), poolrt.ErrDoubleFree), "TestDeviceDeferred")
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
