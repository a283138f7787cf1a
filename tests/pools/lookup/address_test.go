package lookup

import (
	"testing"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// finder is a pool of any form whose blocks are found by their addresses.
type finder struct {
	name  string
	unit  uint64 // distance of addresses within a block
	alloc func(n int) (addr uint64, err error)
	find  func(addr uint64) (at uint64, n int, err error)
	free  func(addr uint64, n int) error
	close func() error
	fixed bool // blocks of one item
}

// finders returns a new pool of each form of host memory and of numbers.
func finders() []finder {
	return []finder{
		items("fixed", new(NodePool)), items("none", new(LoosePool)), items("sharded", new(StrictPool)), items("magazine", new(MagazinePool)),
		items("borrow", new(BorrowPool)),
		rows("heap", new(RowPool)), rows("binned", new(SmallPool)), rows("classes", new(ClassPool)), rows("ring", new(RingPool)),
		rows("direct", new(WholePool)), rows("shards", new(ShardPool)), rows("binned shards", new(SmallShardPool)),
		seats(), seatRows(),
	}
}

type itemPool[T any] interface {
	Alloc() (*T, error)
	Find(uintptr) (*T, error)
	Free(*T) error
	Close() error
}

func items[T any](name string, p itemPool[T]) finder {
	at := func(b *T) uint64 { return uint64(uintptr(unsafe.Pointer(b))) }
	blocks := map[uint64]*T{}
	var item T
	return finder{name, uint64(unsafe.Sizeof(item)), func(int) (uint64, error) {
		b, err := p.Alloc()
		blocks[at(b)] = b
		return at(b), err
	}, func(addr uint64) (uint64, int, error) {
		b, err := p.Find(uintptr(addr))
		return at(b), 1, err
	}, func(addr uint64, _ int) error { return p.Free(blocks[addr]) }, p.Close, true}
}

type rowPool[T any] interface {
	Alloc(n int) ([]T, error)
	Find(uintptr) ([]T, error)
	Free([]T) error
	Close() error
}

func rows[T any](name string, p rowPool[T]) finder {
	at := func(b []T) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }
	blocks := map[uint64][]T{}
	var item T
	return finder{name, uint64(unsafe.Sizeof(item)), func(n int) (uint64, error) {
		b, err := p.Alloc(n)
		blocks[at(b)] = b
		return at(b), err
	}, func(addr uint64) (uint64, int, error) {
		b, err := p.Find(uintptr(addr))
		return at(b), len(b), err
	}, func(addr uint64, _ int) error { return p.Free(blocks[addr]) }, p.Close, false}
}

func seats() finder {
	p := must(NewSeatPool())
	if err := p.Track(1000, 5000); err != nil {
		panic(err)
	}
	return finder{"number", 1, func(int) (uint64, error) {
		b, err := p.Alloc()
		return uint64(b), err
	}, func(addr uint64) (uint64, int, error) {
		b, err := p.Find(addr)
		return uint64(b), 1, err
	}, func(addr uint64, _ int) error { return p.Free(SeatID(addr)) }, p.Close, true}
}

func seatRows() finder {
	p := must(NewSeatsPool())
	if err := p.Track(1000, 500000); err != nil {
		panic(err)
	}
	blocks := map[uint64]SeatsIDs{}
	return finder{"numbers", 1, func(n int) (uint64, error) {
		b, err := p.Alloc(n)
		blocks[uint64(b.First())] = b
		return uint64(b.First()), err
	}, func(addr uint64) (uint64, int, error) {
		b, err := p.Find(addr)
		return uint64(b.First()), b.Len(), err
	}, func(addr uint64, _ int) error { return p.Free(blocks[addr]) }, p.Close, false}
}

// Find returns live blocks as they were handed out, and refuses every other address: inside of a block, of a block that was freed, of no block of the pool,
// and any address after Close.
func TestFind(t *testing.T) {
	for _, p := range finders() {
		t.Run(p.name, func(t *testing.T) {
			if _, _, err := p.find(0); err == nil {
				t.Error("address 0 is found in an unused pool")
			}
			found(t, p)
			check(t, "close", p.close())
			_, _, err := p.find(1 << 20)
			refused(t, "after Close", err, poolrt.ErrClosed)
		})
	}
}

// found tests one pool. At the end all blocks are free.
func found(t *testing.T, p finder) {
	t.Helper()
	lengths := map[uint64]int{}
	for i := range 300 {
		n := 1
		if !p.fixed {
			n = 1 + i*i%700
		}
		addr, err := p.alloc(n)
		check(t, "alloc", err)
		lengths[addr] = n
	}
	freed := map[uint64]bool{}
	checkAll := func() {
		t.Helper()
		for addr, n := range lengths {
			at, m, err := p.find(addr)
			switch {
			case freed[addr]:
				refused(t, "freed block", err, poolrt.ErrInvalidFree)
			case err != nil || at != addr || m != n:
				t.Fatalf("block at %#x of %d: found at %#x, %d, %v", addr, n, at, m, err)
			case n > 1 || p.unit > 1:
				_, _, err = p.find(addr + 1)
				refused(t, "address in a block", err, poolrt.ErrForeign)
			}
		}
	}
	checkAll()
	i := 0
	for addr, n := range lengths {
		if i++; i%2 == 0 {
			check(t, "free", p.free(addr, n))
			freed[addr] = true
		}
	}
	checkAll()
	other := new([64]byte)
	_, _, err := p.find(uint64(uintptr(unsafe.Pointer(other))))
	refused(t, "memory of Go", err, poolrt.ErrForeign)
	_, _, err = p.find(0)
	refused(t, "address 0", err, poolrt.ErrForeign)
	for addr, n := range lengths {
		if !freed[addr] {
			check(t, "free", p.free(addr, n))
			freed[addr] = true
		}
	}
	checkAll()
}

// A block of another pool is found where it was handed out, as a free would reach it.
func TestFindBorrowed(t *testing.T) {
	p := must(NewBorrowPool())
	var all []*[4]uint64
	for range 3000 { // more than one chunk has room for
		b, err := p.Alloc()
		check(t, "alloc", err)
		all = append(all, b)
	}
	for _, b := range all {
		at, err := p.Find(uintptr(unsafe.Pointer(b)))
		if err != nil || at != b {
			t.Fatalf("block at %p: found at %p, %v", b, at, err)
		}
		check(t, "free", p.Free(b))
		_, err = p.Find(uintptr(unsafe.Pointer(b)))
		refused(t, "freed", err, poolrt.ErrInvalidFree)
	}
	check(t, "close", p.Close())
}

func BenchmarkFind(b *testing.B) {
	for _, p := range finders() {
		b.Run(p.name, func(b *testing.B) {
			var addrs [256]uint64
			for i := range addrs {
				n := 1
				if !p.fixed {
					n = 1 + i
				}
				addrs[i] = must(p.alloc(n))
			}
			for i := 0; b.Loop(); i++ {
				if _, _, err := p.find(addrs[i%len(addrs)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
