package lookup

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// malloc is a pool of host memory whose blocks have lengths, as a program in C would use it.
type malloc[T any] interface {
	rowPool[T]
	FreeAt(uintptr) error
	Usable(uintptr) int
	Resize([]T, int) ([]T, error)
	SetLimit(int64) error
	Stats() poolrt.Stats
}

func place[T any](b []T) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// Blocks are freed by their addresses, once, and their lengths are known.
func TestFreeAt(t *testing.T) {
	t.Run("heap", func(t *testing.T) { freeAt(t, new(RowPool)) })
	t.Run("binned", func(t *testing.T) { freeAt(t, new(SmallPool)) })
	t.Run("classes", func(t *testing.T) { freeAt(t, new(ClassPool)) })
	t.Run("ring", func(t *testing.T) { freeAt(t, new(RingPool)) })
	t.Run("direct", func(t *testing.T) { freeAt(t, new(WholePool)) })
	t.Run("shards", func(t *testing.T) { freeAt(t, new(ShardPool)) })
	t.Run("binned shards", func(t *testing.T) { freeAt(t, new(SmallShardPool)) })
}

func freeAt[T any](t *testing.T, p malloc[T]) {
	refused(t, "address 0", p.FreeAt(0), poolrt.ErrForeign)
	lengths := map[uintptr]int{}
	for i := range 300 {
		b, err := p.Alloc(1 + i*i%700)
		check(t, "alloc", err)
		lengths[place(b)] = len(b)
	}
	for at, n := range lengths {
		if got := p.Usable(at); got != n {
			t.Errorf("block of %d at %#x: %d", n, at, got)
		}
		refused(t, "an address in a block", p.FreeAt(at+1), poolrt.ErrForeign)
		err := p.FreeAt(at)
		check(t, "free", err)
		if err = p.FreeAt(at); err == nil || !strings.Contains(err.Error(), "free") {
			t.Errorf("second free: %v", err)
		}
		refused(t, "second free", err, poolrt.ErrInvalidFree)
		if got := p.Usable(at); got != 0 {
			t.Errorf("a freed block at %#x has a length of %d", at, got)
		}
	}
	if s := p.Stats(); s.Live != 0 || s.LiveBytes != 0 {
		t.Errorf("at the end: %+v", s)
	}
	check(t, "close", p.Close())
	refused(t, "after Close", p.FreeAt(1<<20), poolrt.ErrClosed)
}

// Each item of a resized block is as it was, whether the block has moved or not. What fails leaves the block as it was.
func TestResize(t *testing.T) {
	t.Run("heap", func(t *testing.T) { resize(t, new(RowPool), true) })
	t.Run("binned", func(t *testing.T) { resize(t, new(SmallPool), true) })
	t.Run("classes", func(t *testing.T) { resize(t, new(ClassPool), true) })
	t.Run("ring", func(t *testing.T) { resize(t, new(RingPool), false) })
	t.Run("direct", func(t *testing.T) { resize(t, new(WholePool), true) })
	t.Run("shards", func(t *testing.T) { resize(t, new(ShardPool), true) })
	t.Run("binned shards", func(t *testing.T) { resize(t, new(SmallShardPool), true) })
}

func resize[T uint8 | uint16 | uint32 | uint64](t *testing.T, p malloc[T], stays bool) {
	r := rand.New(rand.NewPCG(1, 2))
	var all [][]T
	is := func(b []T, n int, mark T) {
		t.Helper()
		for i := range b[:n] {
			if b[i] != mark {
				t.Fatalf("item %d of block %d: %d", i, mark, b[i])
			}
		}
	}
	fill := func(b []T, mark T) {
		for i := range b {
			b[i] = mark
		}
	}
	for k := range 100 {
		b, err := p.Alloc(1 + r.IntN(400))
		check(t, "alloc", err)
		fill(b, T(k))
		all = append(all, b)
	}
	stayed, items := 0, 0
	for range 3000 {
		k := r.IntN(len(all))
		old := all[k]
		b, err := p.Resize(old, 1+r.IntN(1+r.IntN(400)))
		check(t, "resize", err)
		if len(b) != cap(b) || p.Usable(place(b)) != len(b) {
			t.Fatalf("length %d, room for %d, known as %d", len(b), cap(b), p.Usable(place(b)))
		}
		is(b, min(len(b), len(old)), T(k))
		fill(b, T(k))
		if all[k] = b; place(b) == place(old) && len(b) != len(old) {
			stayed++
		}
	}
	if stays != (stayed > 0) && !poolimpl.Debug {
		t.Errorf("%d blocks stayed where they were", stayed)
	}
	for k, b := range all {
		items += len(b)
		is(b, len(b), T(k))
	}
	if s := p.Stats(); s.Live != int64(len(all)) || s.LiveBytes != int64(items)*int64(unsafe.Sizeof(*(*T)(nil))) {
		t.Errorf("%d live with %d bytes, want %d with %d items", s.Live, s.LiveBytes, len(all), items)
	}

	b := all[0]
	same := func(what string, got []T, err, want error) {
		t.Helper()
		refused(t, what, err, want)
		if place(got) != place(b) || len(got) != len(b) {
			t.Errorf("%s: %d items at %#x, want %d at %#x", what, len(got), place(got), len(b), place(b))
		}
		is(b, len(b), 0)
	}
	got, err := p.Resize(b, 0)
	same("no items", got, err, poolrt.ErrBadSize)
	check(t, "limit", p.SetLimit(p.Stats().Reserved))
	got, err = p.Resize(b, 1<<20)
	same("above the limit", got, err, poolrt.ErrTooLarge)
	for _, part := range [][]T{b[:len(b)-1], b[:0], nil} {
		_, err = p.Resize(part, len(b)+5)
		refused(t, "another length", err, poolrt.ErrInvalidFree)
	}
	for _, b := range all {
		check(t, "free", p.FreeAt(place(b)))
	}
	_, err = p.Resize(b, 5)
	refused(t, "freed", err, poolrt.ErrInvalidFree)
	check(t, "close", p.Close())
}

// BenchmarkFreeAt compares a free by address and an allocation with a free of the block and an allocation.
func BenchmarkFreeAt(b *testing.B) {
	b.Run("heap", func(b *testing.B) { benchFreeAt(b, new(RowPool)) })
	b.Run("binned", func(b *testing.B) { benchFreeAt(b, new(SmallPool)) })
	b.Run("classes", func(b *testing.B) { benchFreeAt(b, new(ClassPool)) })
	b.Run("heap sharded", func(b *testing.B) { benchFreeAt(b, new(ShardPool)) })
}

func benchFreeAt[T any](b *testing.B, p malloc[T]) {
	live := make([][]T, 10000)
	for i := range live {
		live[i] = must(p.Alloc(16 + i*7%2000))
	}
	for b.Loop() {
		at := 0
		turn := func(free func([]T) error) func(int) {
			return func(n int) {
				for range n {
					at = (at + 7919) % len(live)
					check(b, "free", free(live[at]))
					live[at] = must(p.Alloc(16 + at*7%2000))
				}
			}
		}
		slice, addr := compare(1<<12, turn(p.Free), turn(func(s []T) error { return p.FreeAt(place(s)) }))
		b.ReportMetric(slice, "ns/slice")
		b.ReportMetric(addr, "ns/address")
		b.ReportMetric(addr/slice, "ratio")
	}
}
