package smoke

import (
	"errors"
	"reflect"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/spec"
)

// Bounds on a trial: blocks, bytes that it may touch, and bytes that the pool may reserve for them.
const (
	maxBlocks   = 3000
	maxBytes    = 48 << 20
	maxReserved = 256 << 20
)

// fill allocates until the pool is at its limit, or enough blocks are live.
func (tr *trial) fill() {
	tr.t.Helper()
	tr.full = false
	var bytes uint64
	for _, b := range tr.live {
		bytes += b.bytes
	}
	for i := 0; len(tr.live) < maxBlocks && bytes < maxBytes && (tr.item() || i < maxBlocks/10); i++ {
		n := tr.count(i)
		b, ok := tr.alloc(n)
		if !ok {
			if tr.full = tr.item() || n == 1; tr.full {
				return
			}
			continue
		}
		bytes += b.bytes
		if i%64 == 63 && tr.stats().Reserved > maxReserved {
			return
		}
	}
}

// count returns the number of items to request. The first request of a trial is the largest that a chunk always holds.
func (tr *trial) count(i int) int {
	if tr.item() {
		return 1
	}
	size := tr.itemSize()
	largest := tr.largest()
	switch {
	case tr.Numbers && tr.Order == spec.InOrder:
		return 1 + tr.random.IntN(int(min(largest, 100)))
	case i == 0 && tr.fresh && !tr.Numbers:
		return int(largest)
	case i%7 == 3:
		return 1
	case i%16 == 5:
		return 1 + tr.random.IntN(int(largest))
	}
	return 1 + tr.random.IntN(int(min(largest, max(1, 2000/size))))
}

// largest returns how many items a chunk always holds, and a trial requests at most.
func (tr *trial) largest() int64 { return max(1, min(tr.Largest, 4<<20)/tr.itemSize()) }

// itemSize returns the size of one item, from the types of the methods.
func (tr *trial) itemSize() int64 {
	if tr.Numbers {
		return 1
	}
	return max(1, int64(tr.pool.MethodByName("Alloc").Type().Out(0).Elem().Size()))
}

// alloc allocates one block and reports whether that succeeded. Only the limit may be the reason of a failure.
func (tr *trial) alloc(n int) (block, bool) {
	tr.t.Helper()
	var args []any
	if !tr.item() {
		args = append(args, n)
	}
	out, err := tr.call("Alloc", args...)
	if err != nil {
		if !errors.Is(err, poolrt.ErrLimit) && !(errors.Is(err, poolrt.ErrTooLarge) && tr.tooLarge(n)) {
			tr.fatalf("Alloc(%v): %v; %+v", args, err, tr.stats())
		}
		if tr.Limit == poolrt.NoLimit && !tr.Budget && !tr.Numbers {
			tr.fatalf("Alloc(%v): %v without a limit", args, err)
		}
		return block{}, false
	}
	return tr.enter(out[0], n), true
}

// enter adds an allocation to the live blocks.
func (tr *trial) enter(v reflect.Value, n int) block {
	tr.t.Helper()
	b := tr.block(v, n)
	if tr.Zero == "always" || tr.Zero == "first" && tr.fresh && !tr.Borrows {
		tr.zero(b)
	}
	tr.write(b)
	tr.live = append(tr.live, b)
	tr.allocs++
	return b
}

// tooLarge reports whether n items may be more than the limit ever allows, because they are rounded up to a size class.
func (tr *trial) tooLarge(n int) bool {
	room := int64(n) * tr.itemSize()
	for _, b := range tr.Bins {
		if b >= room {
			room = b
			break
		}
	}
	return tr.Budget || room > min(tr.Limit, tr.Largest) || tr.Numbers
}
