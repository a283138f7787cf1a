package smoke

import (
	"context"
	"errors"
	"reflect"
	"time"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// waitUntilEnd waits for a block of a full pool, until the context ends.
func (tr *trial) waitUntilEnd() {
	tr.t.Helper()
	if !tr.full || tr.Borrows {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	args := []any{ctx}
	if !tr.item() {
		args = append(args, 1)
	}
	_, err := tr.call("AllocContext", args...)
	if !errors.Is(err, poolrt.ErrLimit) || tr.Locked && !errors.Is(err, context.DeadlineExceeded) {
		tr.errorf("AllocContext of a full pool: %v", err)
	}
	args = args[1:]
	if out, _ := tr.call("TryAlloc", args...); out[1].Bool() {
		tr.errorf("TryAlloc of a full pool succeeds")
	}
}

// badRequests makes requests that no pool can serve.
func (tr *trial) badRequests() {
	tr.t.Helper()
	if tr.item() {
		if n := tr.must("AllocBatch", reflect.Zero(tr.sliceType()))[0].Int(); n != 0 {
			tr.errorf("an empty batch has %d", n)
		}
		return
	}
	for _, n := range []int{0, -1, minInt} {
		tr.refused(poolrt.ErrBadSize, "Alloc", n)
	}
	for _, align := range []int{0, -8, 3, 1 << 29} {
		if tr.Numbers && align == 1<<29 || int64(align) <= tr.Chunk && align > 3 {
			continue
		}
		tr.refused(poolrt.ErrBadAlignment, "AllocAligned", 1, align)
	}
	if out, _ := tr.call("TryAlloc", -1); out[1].Bool() {
		tr.errorf("TryAlloc(-1) succeeds")
	}
	if _, err := tr.call("Alloc", maxInt); !errors.Is(err, poolrt.ErrTooLarge) && !errors.Is(err, poolrt.ErrBadSize) && !errors.Is(err, poolrt.ErrLimit) && !errors.Is(err, poolrt.ErrOutOfMemory) {
		tr.errorf("Alloc(maxInt): %v", err)
	}
}

const (
	maxInt = int(^uint(0) >> 1)
	minInt = -maxInt - 1
)

// misuse frees addresses that are not live blocks.
func (tr *trial) misuse() {
	tr.t.Helper()
	typ := tr.pool.MethodByName("Free").Type().In(0)
	tr.refused(poolrt.ErrInvalidFree, "Free", reflect.Zero(typ))
	switch {
	case tr.Numbers && tr.item():
		tr.refused(poolrt.ErrInvalidFree, "Free", reflect.ValueOf(uint64(1)<<50).Convert(typ))
	case tr.Numbers:
	case tr.item():
		tr.refused(poolrt.ErrInvalidFree, "Free", reflect.New(typ.Elem()))
		if len(tr.live) > 0 && tr.live[0].bytes > 1 {
			inside := unsafe.Add(tr.live[0].value.UnsafePointer(), 1)
			tr.refused(poolrt.ErrInvalidFree, "Free", reflect.NewAt(typ.Elem(), inside))
		}
	default:
		tr.refused(poolrt.ErrInvalidFree, "Free", reflect.MakeSlice(typ, 3, 3))
		for _, b := range tr.live {
			if n := b.value.Len(); n > 1 && b.bytes/uint64(n) >= uint64(max(tr.Align, 16)) {
				tr.refused(poolrt.ErrInvalidFree, "Free", b.value.Slice(1, n))
				tr.refused(poolrt.ErrInvalidFree, "Free", b.value.Slice(0, n-1))
				break
			}
		}
	}
	tr.check("after misuse")
}

// closeEarly closes the pool while blocks are live, which changes nothing.
func (tr *trial) closeEarly() {
	tr.t.Helper()
	if tr.stats().Live == 0 {
		return
	}
	tr.refused(poolrt.ErrLive, "Close")
	tr.check("not closed")
}
