package arena

import (
	"errors"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// ok stops the test on an error.
func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open makes a pool, which ends with the test.
func open(t *testing.T) *ArenaPool {
	t.Helper()
	machine(t)
	p, err := NewArenaPool(poolrt.OnDevice(0))
	ok(t, err)
	t.Cleanup(func() { ok(t, p.Close()) })
	return p
}

// Steps use the same memory one after the other.
func TestSteps(t *testing.T) {
	p := open(t)
	s, err := cuda.Device(0).NewStream(cuda.NonBlocking)
	ok(t, err)
	in, out := make([]float32, 4_000_000), make([]float32, 4_000_000)
	for step := range 5 {
		for i := range in {
			in[i] = float32(step + i)
		}
		ok(t, Step(p, out, in, s))
		if !slices.Equal(in, out) {
			t.Fatalf("step %d: other numbers came back", step)
		}
	}
	if st := p.Stats(); st.Chunks != 1 || st.Reserved != 32<<20 || st.LiveBytes != 0 {
		t.Errorf("%+v", st)
	}
	ok(t, s.Close())
}

// Ten million numbers are 40 000 000 bytes, more than there will ever be. What would fit an arena that is not in use is another error.
func TestDoesNotFit(t *testing.T) {
	p := open(t)
	_, err := p.Alloc(10_000_000)
	var e *poolrt.PoolError
	if !errors.Is(err, poolrt.ErrTooLarge) || !errors.As(err, &e) || e.Request != 40_000_000 || e.Limit != 32<<20 {
		t.Errorf("ten million numbers: %v", err)
	}
	if _, err := p.Alloc(6_000_000); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Alloc(6_000_000); !errors.Is(err, poolrt.ErrLimit) {
		t.Errorf("beyond what is left: %v", err)
	}
	ok(t, p.Reset())
	if _, err := p.Alloc(8 << 20); err != nil {
		t.Errorf("all of it: %v", err)
	}
}

// Blocks start at multiples of 256 bytes, also after an odd one, and do not overlap.
func TestBlocks(t *testing.T) {
	p := open(t)
	var end cuda.DevicePtr
	for n := 1; n < 100; n++ {
		b, err := p.Alloc(n)
		ok(t, err)
		if b.Addr()%256 != 0 || b.Addr() < end || b.Bytes() != int64(4*n) {
			t.Fatalf("block of %d numbers at %#x, the last ended at %#x", n, uint64(b.Addr()), uint64(end))
		}
		end = b.Addr().Add(b.Bytes())
	}
}

// What lies behind a mark can be given up alone.
func TestMark(t *testing.T) {
	p := open(t)
	_, err := p.Alloc(1000)
	ok(t, err)
	mark := p.Mark()
	first, err := p.Alloc(1000)
	ok(t, err)
	ok(t, p.Release(mark))
	again, err := p.Alloc(1000)
	ok(t, err)
	if first != again {
		t.Errorf("%v, then %v", first, again)
	}
}
