package poolimpl

import (
	"errors"
	"math"
	"testing"
	"unsafe"
)

// TestHost: host memory is aligned, zero, writable to its end, and can be freed.
func TestHost(t *testing.T) {
	for _, size := range []int64{1, 100, 4096, 4097, 1 << 20} {
		for align := int64(1); align <= 4<<20; align *= 8 {
			c, err := Host().Alloc(size, align)
			if err != nil {
				t.Fatalf("Alloc(%d, %d): %v", size, align, err)
			}
			if c.Addr%uint64(align) != 0 || c.Size != size || uint64(uintptr(c.Ptr)) != c.Addr {
				t.Errorf("Alloc(%d, %d): %+v", size, align, c)
			}
			b := unsafeBytes(c.Ptr, size)
			if b[0]|b[size-1] != 0 {
				t.Error("memory is not zero")
			}
			b[0], b[size-1] = 1, 2
			if err := Host().Free(c); err != nil {
				t.Errorf("Free: %v", err)
			}
		}
	}
}

func TestHostTooLarge(t *testing.T) {
	for _, align := range []int64{1, 64, 4096, 1 << 30} {
		for _, size := range []int64{math.MaxInt64, math.MaxInt64 - 64, math.MaxInt64 - 8192, math.MaxInt64/2 + 1} {
			if c, err := Host().Alloc(size, align); err == nil {
				t.Errorf("Alloc(%d, %d): %+v", size, align, c)
			}
		}
	}
}

func TestCustomSource(t *testing.T) {
	var memory [8192]byte
	base := unsafe.Pointer(&memory)
	base = unsafe.Add(base, -int64(uintptr(base))&4095)
	free := func(unsafe.Pointer, int64) error { return nil }
	tests := []struct {
		name  string
		alloc func(int64, int64) (unsafe.Pointer, error)
		fails bool
		back  unsafe.Pointer // the chunk that the pool gets with an error, and returns
	}{
		{"good", func(int64, int64) (unsafe.Pointer, error) { return base, nil }, false, nil},
		{"error", func(int64, int64) (unsafe.Pointer, error) { return nil, errNoMemory }, true, nil},
		{"nil", func(int64, int64) (unsafe.Pointer, error) { return nil, nil }, true, nil},
		{"misaligned", func(int64, int64) (unsafe.Pointer, error) { return unsafe.Add(base, 8), nil }, true, unsafe.Add(base, 8)},
	}
	for _, test := range tests {
		c, err := CustomSource(test.alloc, free).Alloc(64, 64)
		if (err != nil) != test.fails || err != nil && c.Ptr != test.back {
			t.Errorf("%s: %v, %+v", test.name, err, c)
		}
		if err == nil && (c.Ptr != base || c.Size != 64 || c.Addr != uint64(uintptr(base))) {
			t.Errorf("%s: %+v", test.name, c)
		}
	}
}

// TestZeroChunks: the memory of a new chunk is zeroed.
func TestZeroChunks(t *testing.T) {
	memory := make([]byte, 100)
	for i := range memory {
		memory[i] = 0xff
	}
	source := CustomSource(
		func(int64, int64) (unsafe.Pointer, error) { return unsafe.Pointer(&memory[0]), nil },
		func(unsafe.Pointer, int64) error { return nil })
	p := newRig(t, func(c *Config) { c.ZeroChunks, c.Source = true, source })
	b, err := p.ready().Alloc(1, 100, 1)
	if err != nil || b.Ptr != unsafe.Pointer(&memory[0]) {
		t.Fatal(b, err)
	}
	for i, v := range memory {
		if v != 0 {
			t.Fatalf("byte %d is %#x", i, v)
		}
	}
	p.source.bytes = 100 // the chunk came from another source
}

// TestHostHuge: a chunk can be larger than the machine's memory, because its pages are not touched, even under the race detector.
func TestHostHuge(t *testing.T) {
	if math.MaxInt < 1<<40 {
		t.Skip("the address space is too small")
	}
	c, err := Host().Alloc(1<<36, 64)
	if err != nil {
		t.Skip("this system does not overcommit: ", err)
	}
	*(*byte)(unsafe.Add(c.Ptr, c.Size-1)) = 1
	if err := Host().Free(c); err != nil {
		t.Error(err)
	}
}

// zeroBinder is a device whose memory cannot be cleared.
type zeroBinder struct{ *boundSource }

func (z zeroBinder) Bind(ask Binding) (Bound, error) {
	b, err := z.boundSource.Bind(ask)
	b.Zero = func(Chunk) error { return errNoMemory }
	b.Zeroed = func() error { return nil }
	return b, err
}

// A chunk that cannot be cleared is freed, and the allocation returns the reason.
func TestZeroChunksFails(t *testing.T) {
	p := newStreamRig(t, func(c *Config) { c.ZeroChunks, c.Ladder = true, []Rung{ErrorRung{}} })
	p.config.Binder = zeroBinder{p.source}
	if _, err := p.alloc(10); !errors.Is(err, errNoMemory) {
		t.Errorf("got %v", err)
	}
	if p.source.allocs != 1 || p.source.bytes != 0 {
		t.Errorf("after %d allocations of the source, %d bytes are not freed", p.source.allocs, p.source.bytes)
	}
	if s := p.ready().Stats(); s.Reserved != 0 || s.Chunks != 0 {
		t.Errorf("%+v", s)
	}
}
