package conformance

import (
	"errors"
	"testing"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/tests/fatal"
)

const (
	kib = 1 << 10
	mib = 1 << 20
)

// must returns the value of a call that has to succeed.
func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		fatal.If(t, err)
		return v
	}
}

// want fails the test unless err matches target.
func want(t testing.TB, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Fatalf("got %v, want %v", err, target)
	}
}

// A1: 1,024 bytes of host memory are allocated and freed.
func TestA1Host(t *testing.T) {
	c := must[poolimpl.Chunk](t)(poolimpl.Host().Alloc(1024, 1))
	if c.Ptr == nil || c.Addr != uint64(uintptr(c.Ptr)) || c.Size < 1024 {
		t.Errorf("chunk %+v", c)
	}
	if err := poolimpl.Host().Free(c); err != nil {
		t.Error(err)
	}
}

// fill allocates blocks until the pool fails, and returns them with the error.
func fill[T any](alloc func() (T, error)) (blocks []T, err error) {
	for {
		b, err := alloc()
		if err != nil {
			return blocks, err
		}
		blocks = append(blocks, b)
	}
}

// P1: rows of 1, 2, 3, ... numbers are allocated from one range of 2^20 until it is used up: each uses exactly its length, and the first 1447 fit.
func TestP1Numbers(t *testing.T) {
	p := must[*NumberPool](t)(NewNumberPool())
	fatal.If(t, p.Track(0, mib))
	taken := int64(0)
	for n := 1; n <= 1447; n++ {
		ids := must[NumberIDs](t)(p.Alloc(n))
		taken += int64(n)
		if s := p.Stats(); ids.Len() != n || s.LiveBytes != taken || s.RoundingBytes != 0 {
			t.Fatalf("%d numbers: %v, %+v", n, ids, s)
		}
	}
	want(t, second(p.Alloc(1448)), poolrt.ErrLimit)
	if s := p.Stats(); s.LiveBytes != taken {
		t.Errorf("a refused request takes numbers: %+v", s)
	}
}

// P2: without a suballocator, a block of 1024 bytes has that size and can be freed.
func TestP2Direct(t *testing.T) {
	p := must[*DirectPool](t)(NewDirectPool())
	b := must[[]byte](t)(p.Alloc(1024))
	if len(b) != 1024 || cap(b) != 1024 {
		t.Errorf("%d bytes, room for %d", len(b), cap(b))
	}
	b[0], b[1023] = 1, 2
	want(t, p.Free(b), nil)
}

// P3: a ring allocates and frees 1024 bytes; afterwards the whole limit can be allocated.
func TestP3Ring(t *testing.T) {
	p := must[*RingPool](t)(NewRingPool())
	want(t, p.Free(must[[]byte](t)(p.Alloc(1024))), nil)
	blocks, err := fill(func() ([]byte, error) { return p.Alloc(mib) })
	want(t, err, poolrt.ErrLimit)
	if len(blocks) != 10 || p.Stats().Reserved != 10*mib {
		t.Errorf("%d blocks, %d bytes reserved", len(blocks), p.Stats().Reserved)
	}
}

// P4: exactly 1024 blocks of 1 KiB fit a limit of 1 MiB, as the limit is hard, and after all are freed the same
// again. The toolkit hands out 1275, and exceeds its limit.
func TestP4Fixed(t *testing.T) {
	p := must[*BlockPool](t)(NewBlockPool())
	for range 2 {
		blocks, err := fill(p.Alloc)
		want(t, err, poolrt.ErrLimit)
		if s := p.Stats(); len(blocks) != 1024 || s.Reserved != mib || s.LargestFree != 0 {
			t.Fatalf("%d blocks, %+v", len(blocks), s)
		}
		for _, b := range blocks {
			if uintptr(unsafe.Pointer(b))%1024 != 0 {
				t.Fatalf("%p is not aligned", b)
			}
			want(t, p.Free(b), nil)
		}
	}
	if s := p.Stats(); s.Live != 0 || s.LargestFree != 1024 {
		t.Errorf("%+v", s)
	}
}

// P5: blocks have the requested alignment. The toolkit accepts 101 and hands out a multiple of it; poolgen refuses an alignment that is not a power of two, as F1.
func TestP5Alignment(t *testing.T) {
	p := must[*HeapPool](t)(NewHeapPool())
	for _, align := range []int{101, 0, -8, 16 * mib} {
		_, err := p.AllocAligned(1024, align)
		want(t, err, poolrt.ErrBadAlignment)
	}
	for align := 1; align <= mib; align *= 2 {
		b := must[[]byte](t)(p.AllocAligned(1024, align))
		if len(b) != 1024 || uintptr(unsafe.Pointer(&b[0]))%uintptr(align) != 0 {
			t.Errorf("%d bytes at %p, alignment %d", len(b), &b[0], align)
		}
		want(t, p.Free(b), nil)
	}
}

// P6: with bins of 16, 32 and 64 bytes, blocks have the requested length, within the bins and above them.
func TestP6Binned(t *testing.T) {
	p := must[*BinnedPool](t)(NewBinnedPool())
	for _, n := range []int{16, 64, 32, 128} {
		b := must[[]byte](t)(p.Alloc(n))
		if len(b) != n {
			t.Errorf("%d bytes for %d", len(b), n)
		}
		defer func() { want(t, p.Free(b), nil) }()
	}
	b := must[[]byte](t)(p.AllocAligned(128, 128))
	if uintptr(unsafe.Pointer(&b[0]))%128 != 0 {
		t.Errorf("%p is not aligned to 128", &b[0])
	}
	want(t, p.Free(b), nil)
}

// P10: the last byte of a block of 32 bytes can be written and read.
func TestP10Item(t *testing.T) {
	p := must[*ItemPool](t)(NewItemPool())
	b := must[*[32]byte](t)(p.Alloc())
	b[31] = 7
	if b[31] != 7 {
		t.Error("the last byte was not stored")
	}
	want(t, p.Free(b), nil)
}

// P11: heaps allocate one integer, and one vector of 16 bytes.
func TestP11Object(t *testing.T) {
	ints := must[*IntPool](t)(NewIntPool())
	i := must[[]int32](t)(ints.Alloc(1))
	vectors := must[*VectorPool](t)(NewVectorPool())
	v := must[[][4]float32](t)(vectors.Alloc(1))
	i[0], v[0] = 42, [4]float32{1, 2, 3, 4}
	if i[0] != 42 || v[0][3] != 4 || uintptr(unsafe.Pointer(&v[0]))%16 != 0 {
		t.Errorf("%v %v at %p", i, v, &v[0])
	}
	want(t, ints.Free(i), nil)
	want(t, vectors.Free(v), nil)
}

// P12: a heap allocates 1024 vectors in a row, the last of which can be used.
func TestP12Objects(t *testing.T) {
	p := must[*VectorPool](t)(NewVectorPool())
	v := must[[][4]float32](t)(p.Alloc(1024))
	v[1023][3] = 5
	if len(v) != 1024 || v[1023][3] != 5 {
		t.Errorf("%d vectors", len(v))
	}
	want(t, p.Free(v), nil)
}

// P13: 1024 blocks of 64 KiB take 8 chunks of 8 MiB; freeing the last half and trimming to half the size releases exactly that;
// allocating again reserves the same memory; freeing and trimming everything leaves nothing.
func TestP13Release(t *testing.T) {
	p := must[*HeapPool](t)(NewHeapPool())
	var blocks [][]byte
	take := func(n int) {
		for range n {
			blocks = append(blocks, must[[]byte](t)(p.Alloc(64*kib)))
		}
	}
	give := func(n int) {
		for range n {
			want(t, p.Free(blocks[len(blocks)-1]), nil)
			blocks = blocks[:len(blocks)-1]
		}
	}
	reserved := func(n int64) {
		t.Helper()
		if s := p.Stats(); s.Reserved != n {
			t.Fatalf("%d bytes reserved, want %d", s.Reserved, n)
		}
	}
	take(1024)
	reserved(64 * mib)
	give(512)
	if n, err := p.Trim(32 * mib); n != 32*mib || err != nil {
		t.Fatalf("trim: %d, %v", n, err)
	}
	reserved(32 * mib)
	take(512)
	reserved(64 * mib)
	give(1024)
	if n, err := p.Trim(0); n != 64*mib || err != nil {
		t.Fatalf("trim: %d, %v", n, err)
	}
	reserved(0)
}
