package cuda

import (
	"encoding/binary"
	"fmt"
	"math"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// View is a region of device memory that kernels allocate from. They add to an offset atomically, with the function in the C header of the
// pool that made the view, or with the same in PTX. Pass Addr to kernels: the address of three 64-bit numbers in device memory before the
// region. They are its address, its size in bytes, and the number of allocated bytes, which may exceed the size after an allocation that
// failed.
//
// A view is a block of its pool. It ends when the pool is reset, released to an earlier mark, or closed; kernels must have finished with it
// by then. The zero View is not a view, and its methods return [poolrt.ErrForeign].
type View struct {
	at, base DevicePtr
	bytes    int64
}

// viewHead is the size in bytes of the numbers before the region.
const viewHead = 24

// NewView is for generated pools. It makes a view with room for n items in one block, which alloc allocates for a number of items. It writes the
// numbers before the region in the order of the stream. The region, and allocations of kernels in it, are aligned to granule.
func NewView(n int, item, granule int64, s Stream, alloc func(n int) (DevicePtr, error)) (View, error) {
	const op = "View"
	capturing, err := s.IsCapturing()
	if err != nil {
		return View{}, err
	}
	if capturing {
		return View{}, refuse(op, s.device, 0, "the stream is capturing: make the view before, and reset it in the graph")
	}
	front := up(viewHead, granule)
	items, bytes := n, int64(0)
	if n > 0 {
		items = math.MaxInt // too many: alloc returns the error
		if most := (math.MaxInt64 - front - granule - item) / item; int64(n) <= most {
			bytes = up(int64(n)*item, granule)
			items = int(min((front+bytes+item-1)/item, math.MaxInt))
		}
	}
	at, err := alloc(items)
	if err != nil {
		return View{}, err
	}
	v := View{at: at, base: at.Add(front), bytes: bytes}
	if err := CopyToDeviceAsync(at, v.head(), s); err != nil {
		return View{}, err
	}
	return v, nil
}

// up returns the least multiple of unit that is not below n.
func up(n, unit int64) int64 { return (n + unit - 1) / unit * unit }

// head returns the numbers at Addr of a new view.
func (v View) head() []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(v.base))
	b = binary.LittleEndian.AppendUint64(b, uint64(v.bytes))
	return binary.LittleEndian.AppendUint64(b, 0)
}

// Addr returns the address of the view, for kernels.
func (v View) Addr() DevicePtr { return v.at }

// Base returns the address of the region.
func (v View) Base() DevicePtr { return v.base }

// Bytes returns the length of the region in bytes.
func (v View) Bytes() int64 { return v.bytes }

// Used waits for the stream and returns how many bytes of the region kernels have allocated, from Base on. After an allocation that
// failed, it may return Bytes although less is allocated. For a view that has ended and was overwritten since, the error matches
// [poolrt.ErrForeign].
func (v View) Used(s Stream) (int64, error) {
	const op = "Used"
	if err := checkBlock(op, v.at, 0, 0); err != nil {
		return 0, err
	}
	var head [viewHead]byte
	if err := CopyToHostAsync(head[:], v.at, s); err != nil { //poolgen:ignore PG109 it is to wait
		return 0, err
	}
	if string(head[:16]) != string(v.head()[:16]) {
		return 0, misuse(op, poolrt.ErrForeign, fmt.Sprintf("the view at %#x was overwritten: its pool was reset, or a kernel wrote where it must not", uint64(v.at)))
	}
	return int64(min(binary.LittleEndian.Uint64(head[16:]), uint64(v.bytes))), nil
}

// Reset frees everything that kernels have allocated, in the order of the stream.
func (v View) Reset(s Stream) error {
	if err := checkBlock("Reset", v.at, 0, 0); err != nil {
		return err
	}
	return MemsetAsync(v.at.Add(16), 0, 8, s)
}
