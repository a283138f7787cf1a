package simulator

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// tiles makes physical memory for tiles.
func (r *rig) tiles(bytes uint64) abi.Memory {
	r.t.Helper()
	m, result := r.MemCreate(bytes, abi.MemoryProps{Location: abi.LocationDevice, TilePool: true})
	r.ok(result)
	return m
}

func TestSparseArray(t *testing.T) {
	r := newRig(t, Config{Fill: -1})
	a, result := r.ArrayCreateSparse(r.ctx, abi.ArrayDesc{Width: 600, Height: 300, Format: abi.FormatUint8, Channels: 1})
	r.ok(result)
	props, result := r.ArrayGetSparseProperties(r.ctx, a)
	r.ok(result)
	if props.TileWidth != 256 || props.TileHeight != 256 || props.TileDepth != 1 {
		t.Fatalf("%+v", props)
	}
	m := r.tiles(2 << 20)
	s := r.stream()
	column := abi.ArrayMap{Array: a, X: 256, Width: 256, Height: 300, Depth: 1, Memory: m, Offset: tileBytes, DeviceMask: 1}
	r.ok(r.MemMapArrayAsync(r.ctx, []abi.ArrayMap{column}, s))
	r.ok(r.StreamSynchronize(r.ctx, s))
	src := bytes.Repeat([]byte{1, 2, 3}, 600*100)
	r.ok(r.MemcpyToArray(r.ctx, a, 0, 0, 600, 300, hostOf(src), 600))
	want := make([]byte, len(src))
	for i, b := range src {
		if x := i % 600; x >= 256 && x < 512 {
			want[i] = b
		}
	}
	got := bytes.Repeat([]byte{9}, len(src))
	r.ok(r.MemcpyFromArray(r.ctx, hostOf(got), 600, a, 0, 0, 600, 300))
	if !bytes.Equal(got, want) {
		t.Error("mapped tiles hold what was written, others read 0")
	}
	part := make([]byte, 10)
	r.ok(r.MemcpyFromArray(r.ctx, hostOf(part), 5, a, 254, 299, 5, 1))
	if !bytes.Equal(part[:5], want[299*600+254:][:5]) {
		t.Errorf("% x", part)
	}
	column.Unmap = true
	r.ok(r.MemRelease(m))
	r.ok(r.MemMapArrayAsync(r.ctx, []abi.ArrayMap{column}, s))
	r.ok(r.StreamSynchronize(r.ctx, s))
	r.ok(r.MemcpyFromArray(r.ctx, hostOf(got), 600, a, 0, 0, 600, 300))
	if !bytes.Equal(got, make([]byte, len(got))) {
		t.Error("unmapped tiles read 0")
	}
	if free, total, _ := r.MemGetInfo(r.ctx); free != total {
		t.Error("memory of released tiles is not back")
	}
	r.ok(r.ArrayDestroy(r.ctx, a))
	r.want(r.ArrayDestroy(r.ctx, a), abi.InvalidHandle)
}

// Queued copies use the memory that the tiles have when the stream reaches the copies, and the checker sees the memory of the host.
func TestSparseCopiesQueued(t *testing.T) {
	r := newRig(t, Config{Hazards: true})
	a, result := r.ArrayCreateSparse(r.ctx, abi.ArrayDesc{Width: 256, Height: 256, Format: abi.FormatUint8, Channels: 1})
	r.ok(result)
	p, result := r.MemHostAlloc(r.ctx, 2*tileBytes, 0)
	r.ok(result)
	host := unsafe.Slice((*byte)(p), 2*tileBytes)
	src, got := host[:tileBytes], host[tileBytes:]
	for i := range src {
		src[i] = byte(i) | 1
	}
	m, s, other := r.tiles(2<<20), r.stream(), r.stream()
	here := abi.ArrayMap{Array: a, Width: 256, Height: 256, Depth: 1, Memory: m, DeviceMask: 1}
	write := func(s abi.Stream) { r.ok(r.MemcpyToArrayAsync(r.ctx, a, 0, 0, 256, 256, hostOf(src), 256, s)) }
	read := func(s abi.Stream) { r.ok(r.MemcpyFromArrayAsync(r.ctx, hostOf(got), 256, a, 0, 0, 256, 256, s)) }
	for name, c := range map[string]struct {
		steps []func()
		want  []byte
	}{
		"bound first":        {[]func(){func() { r.ok(r.MemMapArrayAsync(r.ctx, []abi.ArrayMap{here}, s)) }, func() { write(s) }}, src},
		"written before":     {[]func(){func() { write(s) }, func() { r.ok(r.MemMapArrayAsync(r.ctx, []abi.ArrayMap{here}, s)) }}, make([]byte, tileBytes)},
		"never bound at all": {[]func(){func() { write(s) }}, make([]byte, tileBytes)},
	} {
		r.clearTiles(m)
		got[0] = 77 // what no case wants
		for _, step := range c.steps {
			step()
		}
		read(s)
		if bytes.Equal(got, c.want) {
			t.Errorf("%s: copied before the stream ran", name)
		}
		r.RunAll()
		if !bytes.Equal(got, c.want) {
			t.Errorf("%s: %x... instead of %x...", name, got[:4], c.want[:4])
		}
		away := here
		away.Unmap = true
		r.ok(r.MemMapArrayAsync(r.ctx, []abi.ArrayMap{away}, s))
		r.ok(r.StreamSynchronize(r.ctx, s))
		clear(got)
		got[0] = 77
	}
	if h := r.Hazards(); len(h) != 0 {
		t.Fatal(h)
	}
	read(s)
	read(other)
	if len(r.Hazards()) == 0 {
		t.Error("two streams write to the same memory of the host")
	}
	r.want(r.MemcpyToArrayAsync(r.ctx, a, 1, 0, 256, 1, hostOf(src), 256, s), abi.InvalidValue)
	r.want(r.MemcpyToArrayAsync(r.ctx, a+1, 0, 0, 256, 1, hostOf(src), 256, s), abi.InvalidHandle)
	r.RunAll()
}

// clearTiles writes 0 to memory that no array is bound to.
func (r *rig) clearTiles(m abi.Memory) {
	r.t.Helper()
	memory := r.memories[m]
	memory.store.set(0, memory.size, 0)
}

func TestSparseRefusals(t *testing.T) {
	r := newRig(t, Config{})
	a, result := r.ArrayCreateSparse(r.ctx, abi.ArrayDesc{Width: 600, Height: 300, Format: abi.FormatFloat32, Channels: 4})
	r.ok(result)
	m, s := r.tiles(2<<20), r.stream()
	plain, result := r.MemCreate(2<<20, abi.MemoryProps{Location: abi.LocationDevice})
	r.ok(result)
	good := abi.ArrayMap{Array: a, Width: 64, Height: 64, Depth: 1, Memory: m, DeviceMask: 1}
	r.ok(r.MemMapArrayAsync(r.ctx, []abi.ArrayMap{good}, s))
	for name, change := range map[string]func(*abi.ArrayMap){
		"start inside a tile": func(m *abi.ArrayMap) { m.X = 32 },
		"end inside a tile":   func(m *abi.ArrayMap) { m.Height = 65 },
		"beyond the array":    func(m *abi.ArrayMap) { m.X, m.Width = 576, 64 },
		"offset":              func(m *abi.ArrayMap) { m.Offset = 512 },
		"beyond the memory":   func(m *abi.ArrayMap) { m.Offset = 2 << 20 },
		"before the memory":   func(m *abi.ArrayMap) { m.Offset = 1<<64 - tileBytes },
		"no tile memory":      func(m *abi.ArrayMap) { m.Memory = plain },
		"other device":        func(m *abi.ArrayMap) { m.DeviceMask = 2 },
	} {
		bad := good
		change(&bad)
		if got := r.MemMapArrayAsync(r.ctx, []abi.ArrayMap{bad}, s); got != abi.InvalidValue {
			t.Errorf("%s: %d", name, got)
		}
	}
	r.SetAttribute(0, abi.AttributeSparseArray, 0)
	_, result = r.ArrayCreateSparse(r.ctx, abi.ArrayDesc{Width: 1, Height: 1, Format: abi.FormatInt8, Channels: 1})
	r.want(result, abi.NotSupported)
}

func TestMipTail(t *testing.T) {
	r := newRig(t, Config{})
	mip, result := r.MipmappedArrayCreateSparse(r.ctx, abi.ArrayDesc{Width: 512, Height: 512, Format: abi.FormatUint8, Channels: 4}, 10)
	r.ok(result)
	props, result := r.MipmappedArrayGetSparseProperties(r.ctx, mip)
	r.ok(result)
	if props.MipTailFirstLevel != 3 || props.MipTailSize != tileBytes {
		t.Fatalf("%+v", props)
	}
	m, s := r.tiles(2<<20), r.stream()
	r.ok(r.MemMapArrayAsync(r.ctx, []abi.ArrayMap{
		{Mipmap: mip, Tail: true, TailSize: tileBytes, Memory: m, DeviceMask: 1},
		{Mipmap: mip, Level: 2, Width: 128, Height: 128, Depth: 1, Memory: m, Offset: tileBytes, DeviceMask: 1},
	}, s))
	r.ok(r.StreamSynchronize(r.ctx, s))
	for _, n := range []uint32{2, 3, 9} {
		level, result := r.MipmappedArrayGetLevel(r.ctx, mip, n)
		r.ok(result)
		side := 512 >> n
		src := bytes.Repeat([]byte{byte(n)}, side*side*4)
		r.ok(r.MemcpyToArray(r.ctx, level, 0, 0, uint64(side*4), uint64(side), hostOf(src), uint64(side*4)))
	}
	for _, n := range []uint32{2, 3, 9} {
		level, _ := r.MipmappedArrayGetLevel(r.ctx, mip, n)
		side := 512 >> n
		got := make([]byte, side*side*4)
		r.ok(r.MemcpyFromArray(r.ctx, hostOf(got), uint64(side*4), level, 0, 0, uint64(side*4), uint64(side)))
		if !bytes.Equal(got, bytes.Repeat([]byte{byte(n)}, len(got))) {
			t.Errorf("level %d", n)
		}
	}
	r.ok(r.MipmappedArrayDestroy(r.ctx, mip))
	if live := r.Live(); live[KindArray]+live[KindMipmap] != 0 {
		t.Errorf("%v", live)
	}
}

func TestSparseCopiesOutsideAreRefused(t *testing.T) {
	r := newRig(t, Config{})
	a, result := r.ArrayCreateSparse(r.ctx, abi.ArrayDesc{Width: 256, Height: 256, Format: abi.FormatUint8, Channels: 1})
	r.ok(result)
	host := make([]byte, 64)
	const before = ^uint64(0) // -1
	for name, at := range map[string]rectangle{
		"left":                      {x: before, widthBytes: 2, height: 1, pitch: 2},
		"above":                     {y: before, widthBytes: 1, height: 2, pitch: 1},
		"right":                     {x: 255, widthBytes: 2, height: 1, pitch: 2},
		"below":                     {y: 255, widthBytes: 1, height: 2, pitch: 1},
		"too wide":                  {widthBytes: before, height: 1, pitch: before},
		"too high":                  {widthBytes: 1, height: before, pitch: 1},
		"a pitch beyond all memory": {widthBytes: 1, height: 3, pitch: 1 << 63},
	} {
		if got := r.MemcpyToArray(r.ctx, a, at.x, at.y, at.widthBytes, at.height, hostOf(host), at.pitch); got != abi.InvalidValue {
			t.Errorf("%s: %d", name, got)
		}
	}
}

// A synchronous copy works on the legacy default stream, which must not wait for a stream that captures.
func TestSparseCopySpoilsACapture(t *testing.T) {
	r := newRig(t, Config{})
	a, result := r.ArrayCreateSparse(r.ctx, abi.ArrayDesc{Width: 256, Height: 256, Format: abi.FormatUint8, Channels: 1})
	r.ok(result)
	s, result := r.StreamCreate(r.ctx, abi.StreamDefault, 0)
	r.ok(result)
	r.ok(r.StreamBeginCapture(r.ctx, s))
	r.want(r.MemcpyToArray(r.ctx, a, 0, 0, 1, 1, hostOf(make([]byte, 1)), 1), abi.StreamCaptureImplicit)
	_, result = r.StreamEndCapture(r.ctx, s)
	r.want(result, abi.StreamCaptureInvalidated)
}

func TestRefusedBindingKeepsNoMemory(t *testing.T) {
	r := newRig(t, Config{})
	a, result := r.ArrayCreateSparse(r.ctx, abi.ArrayDesc{Width: 256, Height: 256, Format: abi.FormatUint8, Channels: 1})
	r.ok(result)
	s, result := r.StreamCreate(r.ctx, abi.StreamDefault, 0)
	r.ok(result)
	m := r.tiles(2 << 20)
	r.ok(r.StreamBeginCapture(r.ctx, s))
	bind := []abi.ArrayMap{{Array: a, Width: 256, Height: 256, Memory: m, DeviceMask: 1}}
	r.want(r.MemMapArrayAsync(r.ctx, bind, 0), abi.StreamCaptureImplicit)
	r.ok(r.MemRelease(m))
	if free, total, _ := r.MemGetInfo(r.ctx); free != total {
		t.Errorf("%d bytes are not back", total-free)
	}
}
