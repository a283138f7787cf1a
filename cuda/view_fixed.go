package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// FixedView is a region of device memory with items of one size, which kernels allocate and free. They use the functions in the C header of the pool that
// made the view. Pass Addr to kernels.
//
// A view is a block of its pool, and ends as blocks do: kernels must have finished with it by then. The zero FixedView is not a view, and its methods
// return [poolrt.ErrForeign]. The methods that read a view tell what is true once the kernels that use it have finished.
type FixedView struct {
	at     DevicePtr
	device Device
	layout fixedLayout
}

// ViewCounts is what a view has counted since it was made, or since Reset.
type ViewCounts struct {
	Live     int    // items that are allocated now
	Allocs   uint64 // items that were allocated
	Frees    uint64 // items that were freed
	Failures uint64 // allocations that found no free item
	BadFrees uint64 // frees that were refused: of an item that was free, or of no item
}

// NewFixedView is for generated pools. It makes a view of n items, or some more, in one block, which alloc allocates for a number of items. Items are aligned
// to align, and blocks to granule. It writes the tables in the order of the stream. If the driver fails, the stream is done with the block.
func NewFixedView(n int, item, align, granule int64, s Stream, alloc func(n int) (DevicePtr, error)) (FixedView, error) {
	const op = "View"
	capturing, err := s.IsCapturing()
	switch {
	case err != nil:
		return FixedView{}, err
	case capturing:
		return FixedView{}, refuse(op, s.device, 0, "the stream is capturing: make the view before, and reset it in the graph")
	case n > fixedMost:
		return FixedView{}, misuse(op, poolrt.ErrTooLarge, fmt.Sprintf("%d items, and a view has at most %d: make several", n, fixedMost))
	}
	items := n // alloc refuses none and fewer
	l, ok := layFixed(n, item, align)
	if n > 0 {
		items = math.MaxInt // too many: alloc returns the error
		if slack := max(fixedLine-granule, 0); ok && l.bytes() <= math.MaxInt64-slack-item {
			items = int(min((l.bytes()+slack+item-1)/item, math.MaxInt))
		}
	}
	at, err := alloc(items)
	if err != nil {
		return FixedView{}, err
	}
	v := FixedView{at: DevicePtr(up(int64(at), fixedLine)), device: s.device, layout: l}
	if err := v.write(s); err != nil {
		return FixedView{}, errors.Join(err, s.Synchronize())
	}
	return v, nil
}

// write writes the front of a new view, and frees all items.
func (v FixedView) write(s Stream) error {
	if err := v.Reset(s); err != nil {
		return err
	}
	if poolrt.Debug {
		if err := MemsetAsync(v.Base(), zoneValue, v.layout.count*v.layout.distance, s); err != nil {
			return err
		}
	}
	return CopyToDeviceAsync(v.at, v.head(), s) // waits for the stream
}

// Addr returns the address of the view, for kernels.
func (v FixedView) Addr() DevicePtr { return v.at }

// Len returns the number of items: a multiple of 32.
func (v FixedView) Len() int { return int(v.layout.count) }

// Base returns the address of the first item.
func (v FixedView) Base() DevicePtr { return v.at.Add(v.layout.items) }

// At returns the address of an item, by its index. It panics if there is none, as indexing does.
func (v FixedView) At(index int) DevicePtr {
	if uint(index) >= uint(v.layout.count) {
		panic(fmt.Sprintf("poolgen: index %d of a view with %d items", index, v.layout.count))
	}
	return v.Base().Add(int64(index) * v.layout.distance)
}

// Reset frees all items, and sets all counts to 0, in the order of the stream.
func (v FixedView) Reset(s Stream) error {
	if err := checkBlock("Reset", v.at, 0, 0); err != nil {
		return err
	}
	l := &v.layout
	whole, rest := l.words/32, l.words%32
	errs := []error{
		memsetWords(v.at.Add(fixedFree), uint32(l.count), 1, s),
		MemsetAsync(v.at.Add(fixedCounts), 0, fixedStripes*fixedLine, s),
		MemsetAsync(v.at.Add(fixedBits), 0xFF, 4*l.words, s),
		MemsetAsync(v.at.Add(l.top), 0xFF, 4*whole, s),
	}
	if rest > 0 {
		errs = append(errs, memsetWords(v.at.Add(l.top+4*whole), 1<<rest-1, 1, s))
	}
	return errors.Join(errs...)
}

// Counts waits for the stream and returns what the view has counted. For a view that has ended and was overwritten since, the error matches
// [poolrt.ErrForeign].
func (v FixedView) Counts(s Stream) (ViewCounts, error) {
	front, err := v.front("Counts", s)
	if err != nil {
		return ViewCounts{}, err
	}
	return v.counts(front), nil
}

// Live waits for the stream and calls f with the index of each live item, in ascending order. Its errors are those of Counts.
func (v FixedView) Live(s Stream, f func(index int)) error {
	if _, err := v.front("Live", s); err != nil {
		return err
	}
	bits, err := v.table(fixedBits, v.layout.words, s)
	if err != nil {
		return err
	}
	for i := range v.Len() {
		if bits[i/32]>>(i%32)&1 == 0 {
			f(i)
		}
	}
	return nil
}

// Check waits for the stream and compares the tables of the view with each other. If they differ, a kernel wrote over them, or is still using the view: the
// error matches [poolrt.ErrCorrupt]. With the tag pooldebug it also finds what was written behind an item. Its other errors are those of Counts.
func (v FixedView) Check(s Stream) error {
	front, err := v.front("Check", s)
	if err != nil {
		return err
	}
	bits, err := v.table(fixedBits, v.layout.words, s)
	if err != nil {
		return err
	}
	top, err := v.table(v.layout.top, (v.layout.words+31)/32, s)
	if err != nil {
		return err
	}
	wrong := v.layout.compare(int32(binary.LittleEndian.Uint32(front[fixedFree:])), bits, top)
	if poolrt.Debug && wrong == "" {
		if wrong, err = v.zonesDamage(s); err != nil {
			return err
		}
	}
	if wrong != "" {
		return misuse("Check", poolrt.ErrCorrupt, fmt.Sprintf("the view at %#x: %s", uint64(v.at), wrong))
	}
	return nil
}

// front waits for the stream and reads the head of the view with its counts.
func (v FixedView) front(op string, s Stream) ([]byte, error) {
	if err := checkBlock(op, v.at, 0, 0); err != nil {
		return nil, err
	}
	front := make([]byte, fixedBits)
	if err := CopyToHostAsync(front, v.at, s); err != nil { //poolgen:ignore PG109 it is to wait
		return nil, err
	}
	if string(front[:fixedHead]) != string(v.head()) {
		return nil, misuse(op, poolrt.ErrForeign, fmt.Sprintf("the view at %#x was overwritten: it has ended, or a kernel wrote where it must not", uint64(v.at)))
	}
	return front, nil
}

// table reads words of the view.
func (v FixedView) table(from, words int64, s Stream) ([]uint32, error) {
	t := make([]uint32, words)
	return t, CopyToHostAsync(t, v.at.Add(from), s) //poolgen:ignore PG109 it is to wait
}
