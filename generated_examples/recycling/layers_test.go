package recycling

import (
	"bytes"
	"errors"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// painter is the program with layers, before and after.
type painter interface {
	paint(picture cuda.DevicePtr, n int, colour byte, s cuda.Stream) error
	close() error
}

var painters = []struct {
	name string
	make func() painter
}{
	{"before", func() painter { return new(mappedLayers) }},
	{"after", func() painter { return new(pooledLayers) }},
}

// ok stops the test on an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// stream makes a stream, which ends with the test.
func stream(t testing.TB) cuda.Stream {
	t.Helper()
	s, err := cuda.Device(0).NewStream(cuda.NonBlocking)
	ok(t, err)
	t.Cleanup(func() { ok(t, s.Close()) })
	return s
}

// canvas allocates device memory for a picture, which ends with the test.
func canvas(t testing.TB, n int) cuda.DevicePtr {
	t.Helper()
	p, err := cuda.Device(0).Alloc(int64(n))
	ok(t, err)
	t.Cleanup(func() { ok(t, cuda.Device(0).Free(p)) })
	return p
}

// used returns how many KiB of the device are in use.
func used() int64 {
	free, total, _ := cuda.Device(0).MemInfo()
	return (total - free) >> 10
}

// Both programs paint the same: layers, each shorter than the one below.
func TestLayers(t *testing.T) {
	const n = 1 << 20
	for _, p := range painters {
		t.Run(p.name, func(t *testing.T) {
			machine(t)
			s, picture, painter := stream(t), canvas(t, n), p.make()
			want, got := make([]byte, n), make([]byte, n)
			for colour := range byte(20) {
				layer := n - 50_000*int(colour)
				ok(t, painter.paint(picture, layer, colour, s))
				copy(want, bytes.Repeat([]byte{colour}, layer))
			}
			ok(t, cuda.CopyToHostAsync(got, picture, s)) // waits
			if !bytes.Equal(got, want) {
				t.Error("it paints something else")
			}
			ok(t, painter.close())
		})
	}
}

// A layer that is freed twice would get two owners. The pool refuses the second free.
func TestLayerFreedTwice(t *testing.T) {
	machine(t)
	const n = 1000
	var before mappedLayers
	layer, err := before.get(n)
	ok(t, err)
	before.put(layer, n)
	before.put(layer, n)
	a, _ := before.get(n)
	if b, _ := before.get(n); a != b {
		t.Error("the map has a check; the page says otherwise")
	}
	before.put(layer, n)
	ok(t, before.close())

	var after PixelPool
	block, err := after.Alloc(n)
	ok(t, err)
	ok(t, after.Free(block))
	if err := after.Free(block); !errors.Is(err, poolrt.ErrDoubleFree) {
		t.Errorf("a second free: %v", err)
	}
	ok(t, after.Close())
}
