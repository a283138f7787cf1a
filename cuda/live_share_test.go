package cuda_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"os/exec"
	"testing"

	"github.com/poolgen/poolgen/cuda"
)

func TestShareMemory(t *testing.T) {
	d := device0(t)
	needs(t, d, cuda.VirtualMemorySupported, "virtual memory")
	needs(t, d, cuda.FileDescriptorsSupported, "file descriptors for memory")
	props := cuda.MemoryProps{Handles: cuda.HandleFileDescriptor}
	unit, _, err := d.Granularity(props)
	ok(t, err)
	m := must(d.NewMemory(unit, props))(t)
	f := must(m.Export())(t)
	same := must(d.ImportMemory(f, unit))(t)
	ok(t, f.Close())
	at := must(cuda.ReserveAddresses(2*unit, 0))(t)
	ok(t, m.Map(at, unit, 0))
	ok(t, same.Map(at.Add(unit), unit, 0))
	ok(t, cuda.SetAccess(at, 2*unit, d, cuda.ReadWrite))
	ok(t, cuda.Memset(at, 0x77, unit))
	got := make([]byte, unit)
	ok(t, cuda.CopyToHost(got, at.Add(unit)))
	if got[0] != 0x77 || got[unit-1] != 0x77 {
		t.Error("two mappings of one memory differ")
	}
	ok(t, cuda.Unmap(at, unit))
	ok(t, cuda.Unmap(at.Add(unit), unit))
	ok(t, m.Close())
	ok(t, same.Close())
	ok(t, cuda.FreeAddresses(at, 2*unit))
}

// The test passes the pool to a second process of this test, as its file 3, and the description of memory in it as text in the environment.
func TestSharePool(t *testing.T) {
	d := device0(t)
	if token := os.Getenv("POOLGEN_TEST_TOKEN"); token != "" {
		importPool(t, d, token)
		return
	}
	needs(t, d, cuda.MemPoolsSupported, "memory pools")
	if must(d.Attribute(cuda.MemPoolHandleTypes))(t)&int(cuda.HandleFileDescriptor) == 0 {
		t.Skip("pools cannot be handed on as files")
	}
	if cuda.LibraryPath() == "simulator" {
		t.Skip("each process has a simulator of its own")
	}
	pool := must(d.NewMemPool(cuda.MemPoolProps{Handles: cuda.HandleFileDescriptor}))(t)
	p := must(pool.AllocAsync(someBytes, cuda.Stream{}))(t)
	ok(t, cuda.MemsetAsync(p, 0x33, someBytes, cuda.Stream{}))
	ok(t, cuda.Stream{}.Synchronize())
	f := must(pool.Export())(t)
	token := must(cuda.ExportPointer(p))(t)
	c := exec.Command(os.Args[0], "-test.run=^TestSharePool$")
	c.Env = append(os.Environ(), "POOLGEN_TEST_TOKEN="+hex.EncodeToString(token[:]))
	c.ExtraFiles = []*os.File{f}
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	ok(t, f.Close())
	got := make([]byte, 1)
	ok(t, cuda.CopyToHost(got, p))
	if got[0] != 0x44 {
		t.Errorf("the other process wrote %#x", got)
	}
	ok(t, cuda.FreeAsync(p, cuda.Stream{}))
	ok(t, cuda.Stream{}.Synchronize())
	ok(t, pool.Close())
}

func importPool(t *testing.T, d cuda.Device, text string) {
	var token cuda.PoolPtr
	if n, err := hex.Decode(token[:], []byte(text)); n != len(token) || err != nil {
		t.Fatal(n, err)
	}
	pool := must(d.ImportMemPool(os.NewFile(3, "pool")))(t)
	p := must(pool.ImportPointer(token))(t)
	got := make([]byte, someBytes)
	ok(t, cuda.CopyToHost(got, p))
	if !bytes.Equal(got, bytes.Repeat([]byte{0x33}, someBytes)) {
		t.Errorf("the memory arrived as %#x...", got[:4])
	}
	ok(t, cuda.Memset(p, 0x44, someBytes))
	ok(t, d.Synchronize())
	ok(t, cuda.FreeAsync(p, cuda.Stream{}))
	ok(t, cuda.Stream{}.Synchronize())
	ok(t, pool.Close())
}

func TestMipmap(t *testing.T) {
	d := device0(t)
	needs(t, d, cuda.SparseArraysSupported, "sparse arrays")
	a := must(d.NewSparseArray(cuda.SparseDesc{Width: 1024, Height: 1024, Format: cuda.Uint8, Channels: 4, Levels: 11}))(t)
	tile := must(a.Tiles())(t)
	t.Logf("%+v", tile)
	if tile.TailSize <= 0 || tile.TailLevel <= 0 || tile.TailLevel > 10 {
		t.Fatalf("tail %+v", tile)
	}
	m := must(d.NewMemory(2<<20, cuda.MemoryProps{TilePool: true}))(t)
	s := must(d.NewStream())(t)
	level1 := cuda.Binding{Memory: m, Level: 1, Width: tile.Width, Height: tile.Height, Depth: 1}
	tail := cuda.Binding{Memory: m, Offset: 1 << 20, Tail: true, TailSize: tile.TailSize}
	ok(t, a.Bind(s, level1, tail))
	ok(t, s.Synchronize())
	level1.Memory, tail.Memory = cuda.Memory{}, cuda.Memory{}
	ok(t, a.Bind(s, level1, tail))
	ok(t, s.Synchronize())
	for _, err := range []error{a.Close(), m.Close(), s.Close()} {
		ok(t, err)
	}
}
