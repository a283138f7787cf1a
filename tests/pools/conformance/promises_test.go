package conformance

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Guarantees that other memory pools have broken. Those about streams, events, attributes and devices are
// tested with the pools that have them.

// B5_1: after a trim, an allocation gets memory that is still reserved.
func TestB5_1TrimThenAllocate(t *testing.T) {
	p := must[*CachedPool](t)(NewCachedPool())
	for range 10 {
		b := must[[]byte](t)(p.Alloc(10 * kib))
		for i := range b {
			b[i] = 0xa5
		}
		want(t, p.Free(b), nil)
		if n := must[int64](t)(p.Trim(0)); n == 0 || p.Stats().Reserved != 0 {
			t.Fatalf("%d released, %d reserved", n, p.Stats().Reserved)
		}
	}
}

// B5_2: a block that is freed twice never has two owners.
func TestB5_2FreeTwice(t *testing.T) {
	p := must[*CachedPool](t)(NewCachedPool())
	b := must[[]byte](t)(p.Alloc(1000))
	want(t, p.Free(b), nil)
	want(t, p.Free(b), poolrt.ErrInvalidFree)
	x, y := must[[]byte](t)(p.Alloc(1000)), must[[]byte](t)(p.Alloc(1000))
	if &x[0] == &y[0] {
		t.Error("two owners")
	}
	items := must[*ItemPool](t)(NewItemPool())
	i := must[*[32]byte](t)(items.Alloc())
	want(t, items.FreeBatch([]*[32]byte{i, i}), poolrt.ErrDoubleFree)
	batch := make([]*[32]byte, 2)
	if n, err := items.AllocBatch(batch); n != 2 || err != nil || batch[0] == batch[1] {
		t.Error(n, err, batch)
	}
}

// B5_3: at the limit, with all memory cached, a request of another size gets cached memory, or a chunk in place of empty ones.
func TestB5_3FullCacheAtTheLimit(t *testing.T) {
	p := must[*CachedPool](t)(NewCachedPool())
	for _, size := range []int{4 * kib, 100 * kib, 1 * kib, mib, 30} {
		var blocks [][]byte
		for range mib / max(size, kib) / 2 {
			blocks = append(blocks, must[[]byte](t)(p.Alloc(size)))
		}
		if size == mib {
			blocks = append(blocks, must[[]byte](t)(p.Alloc(size)))
			_, err := p.Alloc(1)
			want(t, err, poolrt.ErrLimit)
		}
		for _, b := range blocks {
			want(t, p.Free(b), nil)
		}
		if s := p.Stats(); s.Reserved > mib || s.Live != 0 {
			t.Fatalf("%+v", s)
		}
	}
}

// B5_5: the statistics may be read while others allocate and free. The race detector checks the accesses.
func TestB5_5StatsDuringTraffic(t *testing.T) {
	p := must[*CachedPool](t)(NewCachedPool())
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for i := range 1000 {
				if b, err := p.Alloc(1 + i); err != nil {
					t.Error(err)
				} else if err := p.Free(b); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 1000 {
		if s := p.Stats(); s.Live > 3 || s.Reserved > s.Limit || s.LiveBytes+s.Cached > s.Reserved {
			t.Errorf("%+v", s)
		}
	}
	all.Wait()
}

// B5_6: a small request does not get a large cached block: a block takes up less than twice the requested size.
func TestB5_6LargeCachedBlock(t *testing.T) {
	p := must[*CachedPool](t)(NewCachedPool())
	want(t, p.Free(must[[]byte](t)(p.Alloc(200*kib))), nil)
	b := must[[]byte](t)(p.Alloc(kib))
	if s := p.Stats(); s.RoundingBytes >= kib {
		t.Errorf("%d bytes for rounding", s.RoundingBytes)
	}
	want(t, p.Free(b), nil)
}

// B5_7: blocks are aligned after odd sizes too.
func TestB5_7AlignmentAfterOddSize(t *testing.T) {
	p := must[*IntPool](t)(NewIntPool())
	frame := must[*FramePool](t)(NewFramePool())
	for n := 1; n < 100; n += 2 {
		if b := must[[]int32](t)(p.Alloc(n)); uintptr(unsafe.Pointer(&b[0]))%4 != 0 {
			t.Errorf("%p after an odd size", &b[0])
		}
		must[[]byte](t)(frame.Alloc(n))
		if b := must[[]byte](t)(frame.AllocAligned(n, 64)); uintptr(unsafe.Pointer(&b[0]))%64 != 0 {
			t.Errorf("%p is not aligned to 64", &b[0])
		}
	}
}

// B5_8: the error of a request that is larger than the pool has the figures.
func TestB5_8TooSmallWithNumbers(t *testing.T) {
	p := must[*SmallPool](t)(NewSmallPool())
	_, err := p.Alloc(2 * mib)
	want(t, err, poolrt.ErrTooLarge)
	for _, part := range []string{"conformance.Small", "2097152 bytes", "too large", "limit 1048576"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in %q", part, err)
		}
	}
}

// B5_10: the argument of Trim is the number of bytes to keep.
func TestB5_10TrimKeeps(t *testing.T) {
	for keep := int64(0); keep <= 640*kib; keep += 32 * kib {
		p := must[*SmallPool](t)(NewSmallPool())
		var blocks [][]byte
		for range 8 {
			blocks = append(blocks, must[[]byte](t)(p.Alloc(64*kib)))
		}
		for _, b := range blocks {
			want(t, p.Free(b), nil)
		}
		n := must[int64](t)(p.Trim(keep))
		stays := min((keep+64*kib-1)/(64*kib)*(64*kib), 512*kib)
		if s := p.Stats(); s.Reserved != stays || n != 512*kib-stays {
			t.Errorf("keep %d: %d released, %d stay", keep, n, s.Reserved)
		}
		want(t, p.Close(), nil)
	}
}

// B5_13: Close with live blocks refuses and changes nothing.
func TestB5_13CloseWithLiveBlocks(t *testing.T) {
	p := must[*BlockPool](t)(NewBlockPool())
	b := must[*BlockBlock](t)(p.Alloc())
	b[1023] = 9
	before := p.Stats()
	want(t, p.Close(), poolrt.ErrLive)
	if after := p.Stats(); after != before || b[1023] != 9 {
		t.Errorf("%+v became %+v", before, after)
	}
	want(t, p.Free(b), nil)
	want(t, p.Close(), nil)
}

// B5_14: a pool reports the allocator of its pool file and the one in use.
func TestB5_14Effective(t *testing.T) {
	p := must[*SmallPool](t)(NewSmallPool())
	if a, why := p.Effective(); p.Requested() != "host" || a != "host" || why != "" {
		t.Error(p.Requested(), a, why)
	}
	if _, err := NewSmallPool(poolrt.OnDevice(0)); !errors.Is(err, poolrt.ErrUnsupported) {
		t.Errorf("host memory on a device: %v", err)
	}
}
