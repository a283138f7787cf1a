package span

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
	mem "github.com/poolgen/poolgen/templates/hostmem"
)

// room is how many items a pool of numbers has.
const room = 1000

// newPool returns a pool that can hand out blocks: numbers have to be tracked first.
func newPool(t *testing.T) *Pool {
	p := new(Pool)
	if config.Source == nil {
		if err := p.ready().Track(100, room); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// Blocks have the length asked for, are apart from each other, and are counted.
func TestAlloc(t *testing.T) {
	p := newPool(t)
	type piece struct{ at, bytes uint64 }
	var taken []piece
	var bytes uint64
	for n := 1; n <= 30; n++ {
		s, err := p.Alloc(n)
		if err != nil {
			t.Fatalf("%d items: %v", n, err)
		}
		if mem.SpanBytes(s) != uint64(n)*mem.ItemSize {
			t.Fatalf("%d items have %d bytes", n, mem.SpanBytes(s))
		}
		at := mem.SpanAddr(s)
		for _, o := range taken {
			if at < o.at+o.bytes && o.at < at+mem.SpanBytes(s) {
				t.Fatalf("[%#x +%d] overlaps [%#x +%d]", at, mem.SpanBytes(s), o.at, o.bytes)
			}
		}
		taken = append(taken, piece{at, mem.SpanBytes(s)})
		bytes += mem.SpanBytes(s)
	}
	if s := p.ready().Stats(); s.Live != 30 || s.LiveBytes != int64(bytes) || s.RoundingBytes < 0 {
		t.Errorf("Live %d, LiveBytes %d, RoundingBytes %d for 30 blocks with %d bytes", s.Live, s.LiveBytes, s.RoundingBytes, bytes)
	}
}

// Counts that no memory could hold, and alignments that are none, are refused with their own errors.
func TestMisuse(t *testing.T) {
	p := newPool(t)
	for _, n := range []int{0, -1, math.MinInt} {
		if _, err := p.Alloc(n); !errors.Is(err, poolrt.ErrBadSize) {
			t.Errorf("Alloc(%d): %v", n, err)
		}
		if _, err := p.AllocContext(context.Background(), n); !errors.Is(err, poolrt.ErrBadSize) {
			t.Errorf("AllocContext(%d): %v", n, err)
		}
		if _, ok := p.TryAlloc(n); ok {
			t.Errorf("TryAlloc(%d) gives a block", n)
		}
	}
	if _, err := p.Alloc(math.MaxInt); !errors.Is(err, poolrt.ErrBadSize) && !errors.Is(err, poolrt.ErrTooLarge) && !errors.Is(err, poolrt.ErrLimit) {
		t.Errorf("Alloc(MaxInt): %v", err)
	}
	for _, align := range []int{0, -1, 3, 24, math.MinInt, math.MaxInt} {
		if _, err := p.AllocAligned(1, align); !errors.Is(err, poolrt.ErrBadAlignment) {
			t.Errorf("AllocAligned(1, %d): %v", align, err)
		}
	}
}

// An aligned block is a multiple of its alignment, up to the size of a chunk.
func TestAligned(t *testing.T) {
	p := newPool(t)
	for align := 1; int64(align) <= min(config.ChunkSize, 64<<10) && (config.Source != nil || align <= 64); align *= 2 {
		s, err := p.AllocAligned(1, align)
		if errors.Is(err, poolrt.ErrLimit) || errors.Is(err, poolrt.ErrTooLarge) {
			t.Logf("alignment %d: %v", align, err) // earlier blocks are in the way, or arenas are smaller
			continue
		}
		if err != nil || mem.SpanAddr(s)%uint64(align) != 0 {
			t.Errorf("alignment %d: %#x, %v", align, mem.SpanAddr(s), err)
		}
	}
}

// TryAlloc hands out what is there, and nothing where a chunk would have to be added.
func TestTryAlloc(t *testing.T) {
	p := new(Pool)
	if _, ok := p.TryAlloc(1); ok {
		t.Fatal("TryAlloc of an empty pool gives a block")
	}
	p = newPool(t)
	if _, err := p.Alloc(1); err != nil {
		t.Fatal(err)
	}
	if _, ok := p.TryAlloc(1); !ok && config.Source != nil && p.ready().Stats().LargestFree >= int64(mem.ItemSize) {
		t.Error("TryAlloc finds nothing, although there is room")
	}
}

// Blocks are zero when the pool zeroes. Numbers have no content, and Go code cannot address that of a device.
func TestContent(t *testing.T) {
	p := newPool(t)
	for range 3 {
		s, err := p.Alloc(7)
		if err != nil {
			t.Fatal(err)
		}
		if at := reflect.ValueOf(s); at.Kind() == reflect.Slice {
			bytes := unsafe.Slice((*byte)(at.UnsafePointer()), mem.SpanBytes(s))
			if zeroes && bytes[0] != 0 {
				t.Error("a block is not zero")
			}
			bytes[0] = 1
		}
	}
}
