package cuda_test

import (
	"bytes"
	"testing"

	"github.com/poolgen/poolgen/cuda"
)

func TestMemPool(t *testing.T) {
	d := device0(t)
	needs(t, d, cuda.MemPoolsSupported, "memory pools")
	pool := must(d.NewMemPool(cuda.MemPoolProps{}))(t)
	s := must(d.NewStream(cuda.NonBlocking))(t)
	ok(t, pool.SetAttribute(cuda.ReleaseThreshold, 1<<30))
	if v := must(pool.Attribute(cuda.ReleaseThreshold))(t); v != 1<<30 {
		t.Errorf("threshold is %d", v)
	}
	ok(t, pool.SetAttribute(cuda.ReuseAllowOpportunistic, 0))
	if v := must(pool.Attribute(cuda.ReuseAllowOpportunistic))(t); v != 0 {
		t.Errorf("opportunistic is %d", v)
	}
	p := must(pool.AllocAsync(someBytes, s))(t)
	ok(t, cuda.MemsetAsync(p, 5, someBytes, s))
	got := make([]byte, someBytes)
	ok(t, cuda.CopyToHostAsync(got, p, s))
	if !bytes.Equal(got, bytes.Repeat([]byte{5}, someBytes)) {
		t.Error("the pool's memory does not hold what was set")
	}
	if st := must(pool.Stats())(t); st.Used < someBytes || st.Reserved < st.Used || st.UsedHigh < st.Used {
		t.Errorf("stats %+v", st)
	}
	ok(t, cuda.FreeAsync(p, s))
	ok(t, s.Synchronize())
	if st := must(pool.Stats())(t); st.Used != 0 || st.Reserved == 0 {
		t.Errorf("after the free, below the threshold: %+v", st)
	}
	ok(t, pool.Trim(0))
	ok(t, pool.ResetPeaks())
	if st := must(pool.Stats())(t); st.Reserved != 0 || st.UsedHigh != 0 {
		t.Errorf("after the trim: %+v", st)
	}
	ok(t, s.Close())
	ok(t, pool.Close())
}

func TestCurrentMemPool(t *testing.T) {
	d := device0(t)
	needs(t, d, cuda.MemPoolsSupported, "memory pools")
	usual := must(d.DefaultMemPool())(t)
	before := must(d.CurrentMemPool())(t)
	pool := must(d.NewMemPool(cuda.MemPoolProps{}))(t)
	ok(t, d.SetMemPool(pool))
	if now := must(d.CurrentMemPool())(t); now != pool || now == usual {
		t.Errorf("current pool is %v, not %v", now, pool)
	}
	p := must(cuda.AllocAsync(100, cuda.Stream{}))(t)
	if st := must(pool.Stats())(t); st.Used == 0 {
		t.Error("AllocAsync took from another pool")
	}
	ok(t, cuda.FreeAsync(p, cuda.Stream{}))
	ok(t, d.SetMemPool(before))
	ok(t, d.Synchronize())
	ok(t, pool.Close())
}

func TestVirtualMemory(t *testing.T) {
	d := device0(t)
	needs(t, d, cuda.VirtualMemorySupported, "virtual memory")
	unit, best, err := d.Granularity(cuda.MemoryProps{})
	ok(t, err)
	if unit <= 0 || best%unit != 0 {
		t.Fatalf("granularity %d, %d", unit, best)
	}
	at := must(cuda.ReserveAddresses(4*unit, 0))(t)
	var parts [2]cuda.Memory
	for i := range parts {
		parts[i] = must(d.NewMemory(unit, cuda.MemoryProps{}))(t)
		ok(t, parts[i].Map(at.Add(int64(i)*unit), unit, 0))
	}
	ok(t, cuda.SetAccess(at, 2*unit, d, cuda.ReadWrite))
	want, got := pattern(int(2*unit)), make([]byte, 2*unit)
	ok(t, cuda.CopyToDevice(at, want))
	ok(t, cuda.CopyToHost(got, at))
	if !bytes.Equal(got, want) {
		t.Error("the copy differs")
	}
	// The second part is mapped at the first address.
	ok(t, d.Synchronize())
	ok(t, cuda.Unmap(at, unit))
	ok(t, cuda.Unmap(at.Add(unit), unit))
	ok(t, parts[1].Map(at, unit, 0))
	ok(t, cuda.SetAccess(at, unit, d, cuda.ReadWrite))
	ok(t, cuda.CopyToHost(got[:unit], at))
	if !bytes.Equal(got[:unit], want[unit:]) {
		t.Error("the memory did not move")
	}
	ok(t, cuda.Unmap(at, unit))
	ok(t, parts[0].Close())
	ok(t, parts[1].Close())
	ok(t, cuda.FreeAddresses(at, 4*unit))
}

func TestSparseArray(t *testing.T) {
	d := device0(t)
	needs(t, d, cuda.SparseArraysSupported, "sparse arrays")
	a := must(d.NewSparseArray(cuda.SparseDesc{Width: 1024, Height: 1024, Format: cuda.Uint32, Channels: 1}))(t)
	tile := must(a.Tiles())(t)
	if tile.Width*tile.Height*4 != 64<<10 {
		t.Fatalf("tile %+v", tile)
	}
	unit, _, err := d.Granularity(cuda.MemoryProps{TilePool: true})
	ok(t, err)
	memory := must(d.NewMemory(max(unit, 2<<20), cuda.MemoryProps{TilePool: true}))(t)
	s := must(d.NewStream())(t)
	here := cuda.Binding{Memory: memory, Offset: 64 << 10, X: tile.Width, Width: tile.Width, Height: tile.Height, Depth: 1}
	ok(t, a.Bind(s, here))
	ok(t, s.Synchronize())
	want, got := pattern(64<<10), make([]byte, 64<<10)
	ok(t, a.Write(tile.Width, 0, tile.Width, tile.Height, want))
	ok(t, a.Read(got, tile.Width, 0, tile.Width, tile.Height))
	if !bytes.Equal(got, want) {
		t.Error("the tile does not hold what was written")
	}
	here.Memory = cuda.Memory{}
	ok(t, a.Bind(s, here))
	ok(t, s.Synchronize())
	for _, err := range []error{a.Close(), memory.Close(), s.Close()} {
		ok(t, err)
	}
}

// Tiles are bound, written, moved to another region, read and unbound by one stream, while the host waits only for the end.
func TestSparseArrayAsync(t *testing.T) {
	d := device0(t)
	needs(t, d, cuda.SparseArraysSupported, "sparse arrays")
	a := must(d.NewSparseArray(cuda.SparseDesc{Width: 1024, Height: 1024, Format: cuda.Uint8, Channels: 4}))(t)
	tile := must(a.Tiles())(t)
	unit, _, err := d.Granularity(cuda.MemoryProps{TilePool: true})
	ok(t, err)
	memory := must(d.NewMemory(max(unit, 2<<20), cuda.MemoryProps{TilePool: true}))(t)
	host := must(d.AllocHost(3*cuda.TileBytes, 0))(t)
	want, got, gone := host[:cuda.TileBytes], host[cuda.TileBytes:][:cuda.TileBytes], host[2*cuda.TileBytes:]
	copy(want, pattern(len(want)))
	gone[0] = 1
	s := must(d.NewStream(cuda.NonBlocking))(t)
	at := func(m cuda.Memory, x int) cuda.Binding {
		return cuda.Binding{Memory: m, X: x, Width: tile.Width, Height: tile.Height, Depth: 1}
	}
	ok(t, a.Bind(s, at(memory, 0)))
	ok(t, a.WriteAsync(0, 0, tile.Width, tile.Height, want, s))
	ok(t, a.Bind(s, at(cuda.Memory{}, 0), at(memory, tile.Width)))
	ok(t, a.ReadAsync(got, tile.Width, 0, tile.Width, tile.Height, s))
	ok(t, a.ReadAsync(gone, 0, 0, tile.Width, tile.Height, s))
	ok(t, a.Bind(s, at(cuda.Memory{}, tile.Width)))
	ok(t, s.Synchronize())
	if !bytes.Equal(got, want) {
		t.Error("the tile does not hold what was written")
	}
	if !bytes.Equal(gone, make([]byte, len(gone))) {
		t.Error("a region without memory does not read as 0")
	}
	if err := a.WriteAsync(0, 0, tile.Width, tile.Height, want[1:], s); err == nil {
		t.Error("a buffer of another size was taken")
	}
	for _, err := range []error{a.Close(), memory.Close(), s.Close(), d.FreeHost(host)} {
		ok(t, err)
	}
}

func TestPeers(t *testing.T) {
	d := device0(t)
	if len(must(cuda.Devices())(t)) < 2 {
		t.Skip("one device only")
	}
	const other = cuda.Device(1)
	p, q := must(d.Alloc(someBytes))(t), must(other.Alloc(someBytes))(t)
	s := must(other.NewStream(cuda.NonBlocking))(t)
	want, got := pattern(someBytes), make([]byte, someBytes)
	ok(t, cuda.CopyToDevice(p, want))
	ok(t, cuda.CopyPeer(q, other, p, d, someBytes, s))
	ok(t, s.Synchronize())
	ok(t, cuda.CopyToHost(got, q))
	if !bytes.Equal(got, want) {
		t.Error("the copy between devices differs")
	}
	if can := must(other.CanAccess(d))(t); can {
		ok(t, other.EnableAccess(d))
		ok(t, other.EnableAccess(d))
		ok(t, cuda.CopyDeviceAsync(q, p, someBytes, s))
		ok(t, s.Synchronize())
		ok(t, other.DisableAccess(d))
		ok(t, other.DisableAccess(d))
	}
	first, second := must(d.DefaultStream())(t), must(other.DefaultStream())(t)
	if first.ID() == second.ID() {
		t.Error("two default streams have one number")
	}
	if again := must(cuda.AdoptStream(s.Handle()))(t); again != s {
		t.Errorf("adopted %v, made %v", again, s)
	}
	for _, err := range []error{s.Close(), d.Free(p), other.Free(q)} {
		ok(t, err)
	}
}
