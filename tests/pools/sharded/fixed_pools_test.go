package sharded

import (
	"context"
	"sync/atomic"
	"testing"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/pools/sharded/pools"
)

// itemPool has the methods of a pool of blocks of one size that the tests use.
type itemPool[R any] interface {
	Alloc() (R, error)
	TryAlloc() (R, bool)
	AllocContext(context.Context) (R, error)
	AllocBatch([]R) (int, error)
	With(func(R) error) error
	Free(R) error
	FreeBatch([]R) error
	Stats() poolrt.Stats
	Trim(keep int64) (int64, error)
	SetLimit(int64) error
	Close() error
	CloseForce() error
}

// itemTest makes a pool, and has the functions that use its blocks.
type itemTest[R comparable] struct {
	make      func(*testing.T) itemPool[R]
	blocks    int // most blocks of the pool
	uncounted bool
	magazine  int // blocks that each processor may keep in its magazine
	write     func(r R, mark byte)
	read      func(r R) byte
	place     func(r R) uint64
}

// memory is a test of a pool of memory.
func memory[T any](make func() itemPool[*T], blocks int) itemTest[*T] {
	last := unsafe.Sizeof(*new(T)) - 1
	at := func(r *T, i uintptr) *byte { return (*byte)(unsafe.Add(unsafe.Pointer(r), i)) }
	return itemTest[*T]{
		make: func(*testing.T) itemPool[*T] { return make() }, blocks: blocks,
		write: func(r *T, mark byte) { *at(r, 0), *at(r, last) = mark, mark },
		read: func(r *T) byte {
			if a, b := *at(r, 0), *at(r, last); a == b {
				return a
			}
			return 0
		},
		place: func(r *T) uint64 { return uint64(uintptr(unsafe.Pointer(r))) },
	}
}

// numbers is a test of a pool of numbers, whose owners stand in a table.
func numbers[ID ~uint64](make func() numbered[ID]) itemTest[ID] {
	var marks [10000]atomic.Int32
	return itemTest[ID]{
		make: func(t *testing.T) itemPool[ID] {
			p := make()
			for i := range uint64(4) {
				check(t, "track", p.Track(100+i*2500, 2500))
			}
			return p
		}, blocks: 10000,
		write: func(r ID, mark byte) { marks[r-100].Store(int32(mark)) },
		read:  func(r ID) byte { return byte(marks[r-100].Load()) },
		place: func(r ID) uint64 { return uint64(r) },
	}
}

type numbered[ID any] interface {
	itemPool[ID]
	Track(first, n uint64) error
}

// eachItem runs a test on each pool. The test is passed once for each type of block.
func eachItem(t *testing.T, cell func(*testing.T, itemTest[*[8]uint64]), drained func(*testing.T, itemTest[*[100]byte]), row func(*testing.T, itemTest[*[4]uint32]),
	plain func(*testing.T, itemTest[*uint64]), ticket func(*testing.T, itemTest[pools.TicketID]), magazineTicket func(*testing.T, itemTest[pools.KeptTicketID])) {
	t.Run("cell", func(t *testing.T) {
		cell(t, memory(func() itemPool[*[8]uint64] { return new(pools.CellPool) }, 16384))
	})
	t.Run("drained", func(t *testing.T) {
		drained(t, memory(func() itemPool[*[100]byte] { return new(pools.DrainedPool) }, 16*655))
	})
	t.Run("row", func(t *testing.T) { row(t, memory(func() itemPool[*[4]uint32] { return new(pools.RowPool) }, 4096)) })
	t.Run("plain", func(t *testing.T) {
		test := memory(func() itemPool[*uint64] { return new(pools.PlainPool) }, 1<<17)
		test.uncounted = true
		plain(t, test)
	})
	t.Run("ticket", func(t *testing.T) {
		ticket(t, numbers(func() numbered[pools.TicketID] { return new(pools.TicketPool) }))
	})
	t.Run("kept", func(t *testing.T) {
		test := memory(func() itemPool[*[8]uint64] { return new(pools.KeptPool) }, 16384)
		test.magazine = 32
		cell(t, test)
	})
	t.Run("keptRow", func(t *testing.T) {
		test := memory(func() itemPool[*[4]uint32] { return new(pools.KeptRowPool) }, 256)
		test.uncounted, test.magazine = true, 5
		row(t, test)
	})
	t.Run("keptTicket", func(t *testing.T) {
		test := numbers(func() numbered[pools.KeptTicketID] { return new(pools.KeptTicketPool) })
		test.magazine = 10
		magazineTicket(t, test)
	})
}
