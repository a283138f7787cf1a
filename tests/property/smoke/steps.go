package smoke

import (
	"context"
	"errors"
	"reflect"
	"time"

	"github.com/poolgen/poolgen/runtime"
)

// Bounds on a trial: blocks, bytes that it may touch, and bytes that the pool may reserve for them.
const (
	maxBlocks   = 3000
	maxBytes    = 48 << 20
	maxReserved = 256 << 20
)

// fill allocates until the pool is at its limit, or enough is live.
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

// count is how many items to ask for. The first request of a trial is for as much as a chunk is sure to hold.
func (tr *trial) count(i int) int {
	if tr.item() {
		return 1
	}
	size := tr.itemSize()
	largest := max(1, min(tr.Largest, 4<<20)/size)
	switch {
	case tr.Numbers && tr.Form == "ring":
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

// itemSize is the size of one item, found out by a look at the methods.
func (tr *trial) itemSize() int64 {
	if tr.Numbers {
		return 1
	}
	return max(1, int64(tr.pool.MethodByName("Alloc").Type().Out(0).Elem().Size()))
}

// alloc allocates one block and reports whether there was one; it is the limit that may refuse.
func (tr *trial) alloc(n int) (block, bool) {
	tr.t.Helper()
	var args []any
	if !tr.item() {
		args = append(args, n)
	}
	out, err := tr.call("Alloc", args...)
	if err != nil {
		if !errors.Is(err, runtime.ErrLimit) && !(errors.Is(err, runtime.ErrTooLarge) && tr.tooLarge(n)) {
			tr.fatalf("Alloc(%v): %v; %+v", args, err, tr.stats())
		}
		if tr.Limit == runtime.NoLimit && !tr.Budget && !tr.Numbers {
			tr.fatalf("Alloc(%v): %v without a limit", args, err)
		}
		return block{}, false
	}
	return tr.enter(out[0], n), true
}

// enter makes what was allocated one of the live blocks.
func (tr *trial) enter(v reflect.Value, n int) block {
	tr.t.Helper()
	b := tr.block(v, n)
	if tr.Zero == "always" || tr.Zero == "first" && tr.fresh && !tr.Spills {
		tr.zero(b)
	}
	tr.write(b)
	tr.live = append(tr.live, b)
	tr.allocs++
	return b
}

// tooLarge reports whether n items may be more than the limit ever allows: what is set aside for them may be a class of its own.
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

// check looks at everything that must hold between two calls.
func (tr *trial) check(when string) {
	tr.t.Helper()
	tr.disjoint()
	var bytes int64
	for _, b := range tr.live {
		tr.intact(b)
		bytes += int64(b.bytes)
	}
	s := tr.stats()
	live := int64(len(tr.live))
	switch {
	case tr.Spills: // some may live in the other pool
		if s.Live > live || s.LiveBytes > bytes {
			tr.errorf("%s: %d blocks of %d bytes live, but %+v", when, live, bytes, s)
		}
	case s.Live != live || s.LiveBytes != bytes:
		tr.errorf("%s: %d blocks of %d bytes live, but %+v", when, live, bytes, s)
	case tr.Counters && (s.Allocs != tr.allocs || s.Frees != tr.allocs-live || s.PeakBytes < bytes):
		tr.errorf("%s: %d allocations, %d bytes live, but %+v", when, tr.allocs, bytes, s)
	case !tr.Counters && (s.Allocs != 0 || s.Frees != 0 || s.PeakBytes != 0):
		tr.errorf("%s: counts without counters: %+v", when, s)
	}
	if s.Reserved > s.Limit || s.PeakReserved < s.Reserved || s.LiveBytes+s.RoundingBytes+s.Cached > s.Reserved ||
		s.LargestFree > s.Reserved || s.RoundingBytes < 0 || s.Cached < 0 || (s.Chunks == 0) != (s.Reserved == 0) || s.Pending != 0 {
		tr.errorf("%s: not consistent: %+v", when, s)
	}
}

// waitInVain waits for a block of a full pool, until the context ends.
func (tr *trial) waitInVain() {
	tr.t.Helper()
	if !tr.full || tr.Spills {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	args := []any{ctx}
	if !tr.item() {
		args = append(args, 1)
	}
	_, err := tr.call("AllocContext", args...)
	if !errors.Is(err, runtime.ErrLimit) || tr.Locked && !errors.Is(err, context.DeadlineExceeded) {
		tr.errorf("AllocContext of a full pool: %v", err)
	}
	args = args[1:]
	if out, _ := tr.call("TryAlloc", args...); out[1].Bool() {
		tr.errorf("TryAlloc of a full pool succeeds")
	}
}

// badRequests asks for what no pool can serve.
func (tr *trial) badRequests() {
	tr.t.Helper()
	if tr.item() {
		if n := tr.must("AllocBatch", reflect.Zero(tr.sliceType()))[0].Int(); n != 0 {
			tr.errorf("an empty batch has %d", n)
		}
		return
	}
	for _, n := range []int{0, -1, minInt} {
		tr.refused(runtime.ErrBadSize, "Alloc", n)
	}
	for _, align := range []int{0, -8, 3, 1 << 29} {
		if tr.Numbers && align == 1<<29 || int64(align) <= tr.Chunk && align > 3 {
			continue
		}
		tr.refused(runtime.ErrBadAlignment, "AllocAligned", 1, align)
	}
	if out, _ := tr.call("TryAlloc", -1); out[1].Bool() {
		tr.errorf("TryAlloc(-1) succeeds")
	}
	if _, err := tr.call("Alloc", maxInt); !errors.Is(err, runtime.ErrTooLarge) && !errors.Is(err, runtime.ErrBadSize) && !errors.Is(err, runtime.ErrLimit) && !errors.Is(err, runtime.ErrOutOfMemory) {
		tr.errorf("Alloc(maxInt): %v", err)
	}
}

const (
	maxInt = int(^uint(0) >> 1)
	minInt = -maxInt - 1
)

// sliceType is the type of a batch.
func (tr *trial) sliceType() reflect.Type { return tr.pool.MethodByName("AllocBatch").Type().In(0) }

// freeSome frees about half of the blocks, in any order, some of them twice.
func (tr *trial) freeSome() {
	tr.t.Helper()
	tr.fresh = false
	tr.random.Shuffle(len(tr.live), func(i, j int) { tr.live[i], tr.live[j] = tr.live[j], tr.live[i] })
	for range (len(tr.live) + 1) / 2 {
		b := tr.live[len(tr.live)-1]
		tr.intact(b)
		tr.live = tr.live[:len(tr.live)-1]
		tr.must("Free", b.value)
		if tr.random.IntN(4) == 0 {
			tr.refused(runtime.ErrInvalidFree, "Free", b.value)
		}
	}
	tr.check("half freed")
}

// misuse frees what is no live block.
func (tr *trial) misuse() {
	tr.t.Helper()
	typ := tr.pool.MethodByName("Free").Type().In(0)
	tr.refused(runtime.ErrInvalidFree, "Free", reflect.Zero(typ))
	switch {
	case tr.Numbers && tr.item():
		tr.refused(runtime.ErrInvalidFree, "Free", reflect.ValueOf(uint64(1)<<50).Convert(typ))
	case tr.Numbers:
	case tr.item():
		tr.refused(runtime.ErrInvalidFree, "Free", reflect.New(typ.Elem()))
		if len(tr.live) > 0 && tr.live[0].bytes > 1 {
			inside := unsafeAdd(tr.live[0].value.UnsafePointer(), 1)
			tr.refused(runtime.ErrInvalidFree, "Free", reflect.NewAt(typ.Elem(), inside))
		}
	default:
		tr.refused(runtime.ErrInvalidFree, "Free", reflect.MakeSlice(typ, 3, 3))
		for _, b := range tr.live {
			if n := b.value.Len(); n > 1 && b.bytes/uint64(n) >= uint64(max(tr.Align, 16)) {
				tr.refused(runtime.ErrInvalidFree, "Free", b.value.Slice(1, n))
				tr.refused(runtime.ErrInvalidFree, "Free", b.value.Slice(0, n-1))
				break
			}
		}
	}
	tr.check("after misuse")
}

// helpers tries the ways to allocate beside Alloc.
func (tr *trial) helpers() {
	tr.t.Helper()
	for range min(8, len(tr.live)) {
		tr.drop()
	}
	var args []any
	if !tr.item() {
		args = append(args, 1)
	}
	if out, _ := tr.call("TryAlloc", args...); out[1].Bool() {
		tr.enter(out[0], 1)
	}
	if ref, err := tr.call("AllocRef", args...); err == nil {
		tr.allocs++
		tr.ref(ref[0])
	} else if !errors.Is(err, runtime.ErrLimit) {
		tr.errorf("AllocRef: %v", err)
	}
	used := errors.New("used")
	scope := reflect.MakeFunc(tr.scopeType(), func([]reflect.Value) []reflect.Value {
		tr.allocs++
		return []reflect.Value{reflect.ValueOf(&used).Elem()}
	})
	if _, err := tr.call("With", append(args, scope)...); !errors.Is(err, used) && !errors.Is(err, runtime.ErrLimit) {
		tr.errorf("With: %v", err)
	}
	if tr.item() {
		tr.batch()
	} else if out, err := tr.call("AllocAligned", 1, int(min(max(tr.Align, 256), tr.Chunk)&^255|256)); err == nil {
		if b := tr.enter(out[0], 1); b.addr%256 != 0 {
			tr.errorf("AllocAligned at %#x", b.addr)
		}
	}
	tr.check("helped")
}

// drop frees the last block.
func (tr *trial) drop() {
	tr.t.Helper()
	b := tr.live[len(tr.live)-1]
	tr.intact(b)
	tr.live = tr.live[:len(tr.live)-1]
	tr.must("Free", b.value)
}

func (tr *trial) scopeType() reflect.Type {
	typ := tr.pool.MethodByName("With").Type()
	return typ.In(typ.NumIn() - 1)
}

// ref releases an owner twice.
func (tr *trial) ref(v reflect.Value) {
	tr.t.Helper()
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	release := func() error {
		err, _ := p.MethodByName("Release").Call(nil)[0].Interface().(error)
		return err
	}
	if err := release(); err != nil {
		tr.errorf("Release: %v", err)
	}
	if err := release(); !errors.Is(err, runtime.ErrDoubleFree) {
		tr.errorf("second Release: %v", err)
	}
}

// batch allocates and frees five blocks at a time, one of them twice.
func (tr *trial) batch() {
	tr.t.Helper()
	dst := reflect.MakeSlice(tr.sliceType(), 5, 5)
	if _, err := tr.call("AllocBatch", dst); err != nil {
		if !errors.Is(err, runtime.ErrLimit) {
			tr.errorf("AllocBatch: %v", err)
		}
		if tr.Counters { // blocks that a failed batch took and gave back count as well
			tr.allocs = tr.stats().Allocs
		}
		return
	}
	before := len(tr.live)
	for i := range 5 {
		tr.enter(dst.Index(i), 1)
	}
	tr.check("batch")
	tr.live = tr.live[:before]
	twice := reflect.Append(dst, dst.Index(2))
	if _, err := tr.call("FreeBatch", twice); !errors.Is(err, runtime.ErrInvalidFree) {
		tr.errorf("FreeBatch with a block twice: %v", err)
	}
	tr.check("batch freed")
}

// closeEarly closes the pool while blocks are live, which changes nothing.
func (tr *trial) closeEarly() {
	tr.t.Helper()
	if tr.stats().Live == 0 {
		return
	}
	tr.refused(runtime.ErrLive, "Close")
	tr.check("not closed")
}

// marks goes back to a mark, and to the start.
func (tr *trial) marks() {
	tr.t.Helper()
	tr.must("Reset")
	tr.live, tr.fresh = nil, false
	tr.check("reset")
	tr.fill()
	if tr.Locked {
		return
	}
	mark := tr.must("Mark")[0]
	kept := len(tr.live)
	for range 20 {
		tr.alloc(1 + tr.random.IntN(3))
	}
	tr.must("Release", mark)
	tr.live = tr.live[:kept]
	tr.check("released")
}

// empty frees everything and gives it back.
func (tr *trial) empty() {
	tr.t.Helper()
	if tr.frees() {
		for len(tr.live) > 0 {
			tr.drop()
		}
	} else {
		tr.must("Reset")
		tr.live = nil
	}
	tr.check("empty")
	if tr.Form == "ring" {
		tr.must("Reset")
	}
	tr.must("Poll")
	tr.must("Trim", int64(0))
	if s := tr.stats(); !tr.Numbers && s.Reserved != 0 {
		tr.errorf("empty and trimmed, but %+v", s)
	}
	tr.check("trimmed")
}

// end closes the pool.
func (tr *trial) end() {
	tr.t.Helper()
	tr.must("Close")
	tr.must("Close")
	var args []any
	if !tr.item() {
		args = append(args, 1)
	}
	tr.refused(runtime.ErrClosed, "Alloc", args...)
	tr.must("CloseForce")
}
