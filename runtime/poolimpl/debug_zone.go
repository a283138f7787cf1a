//go:build pooldebug

package poolimpl

import (
	"errors"
	"fmt"
	"unsafe"
)

// Fill values, as they are customary in debug builds.
const (
	fillFresh byte = 0xCD // of a block that was handed out
	fillDead  byte = 0xDD // of a block that was freed
)

const (
	zoneMost  = 256     // most bytes of the red zone behind a block
	frontMost = 16      // most bytes of the red zone in front of a block
	zoneUnit  = 16      // chunks are multiples of so many bytes before Spacing multiplies them
	fillMost  = 1 << 20 // of a longer block, only the two ends are filled, half as many bytes each
)

// arm fills the red zones of a block. The caller holds d.mu.
func (r *blockRecord) arm(d *debugState, c chunkInfo) {
	if r.unreachable() {
		return
	}
	r.front, r.tail = d.zones(r.bytes, c)
	r.fill(int64(r.bytes), r.tail, fillZone)
	r.fill(-int64(r.front), r.front, fillZone)
}

// zones returns the lengths of the red zones of a block. The zone behind it is what rounding and Spacing add to its length. The zone in front of it is a part
// of what they add to the block before, which is at least as much as this block's room: all lengths are multiples of one unit, or are the same.
func (d *debugState) zones(bytes uint64, c chunkInfo) (front, tail uint64) {
	tail = min(d.spacing*c.room-bytes, zoneMost)
	if d.spacing > 1 && !c.first {
		front = min(c.room, frontMost)
	}
	return front, tail
}

// unreachable reports whether the memory cannot be reached, or must not be touched.
func (r *blockRecord) unreachable() bool { return r.unguarded || r.ptr == nil && r.far == nil }

// view returns n bytes from an offset of the block on, or a copy of them; nil if they cannot be reached.
func (r *blockRecord) view(from int64, n uint64) []byte {
	switch {
	case r.unreachable():
		return nil
	case r.ptr != nil:
		return unsafe.Slice((*byte)(unsafe.Add(r.ptr, from)), n)
	}
	v := make([]byte, n)
	if n == 0 || r.far.Read(v, r.place+uint64(from)) != nil {
		return nil
	}
	return v
}

// parts returns the offsets and lengths of the parts of n bytes that are filled.
func parts(n uint64) [][2]uint64 {
	if n <= fillMost {
		return [][2]uint64{{0, n}}
	}
	return [][2]uint64{{0, fillMost / 2}, {n - fillMost/2, fillMost / 2}}
}

// fill fills n bytes from an offset of the block on.
func (r *blockRecord) fill(from int64, n uint64, with byte) {
	for _, p := range parts(n) {
		if r.unreachable() {
			return
		}
		if r.ptr == nil && p[1] > 0 {
			err := r.far.Fill(r.place+uint64(from)+p[0], p[1], with) // finishFill waits for it
			if err != nil {
				err = errors.Join(err, r.far.SyncFills()) // for the fills that are under way
			}
			r.tried(err)
			continue
		}
		fill(r.view(from+int64(p[0]), p[1]), with)
	}
}

// finishFill waits until all fills of the block have completed.
func (r *blockRecord) finishFill() {
	if !r.unreachable() && r.ptr == nil {
		r.tried(r.far.SyncFills())
	}
}

// tried leaves the memory alone from now on if the driver failed: its contents are then unknown. The driver's error is reported elsewhere.
func (r *blockRecord) tried(err error) {
	if err != nil {
		r.unguard()
	}
}

// unguard leaves the contents of the block and its red zones alone from now on.
func (r *blockRecord) unguard() { r.unguarded, r.front, r.tail = true, 0, 0 }

// inspect compares n filled bytes with the fill value. If they differ, it returns the bytes from the first difference to the last.
func (r *blockRecord) inspect(from int64, n uint64, with byte) (d damage, ok bool) {
	for _, p := range parts(n) {
		at := from + int64(p[0])
		if d, ok := compare(r.view(at, p[1]), at, with); !ok {
			return d, false
		}
	}
	return damage{}, true
}

// checkZones returns what is wrong with the red zones, "" if nothing is, and fills damaged zones again.
func (r *blockRecord) checkZones() string {
	front, tail := r.edges()
	text := zoneDamage(front, tail, r.bytes)
	if text != "" {
		r.fill(int64(r.bytes), r.tail, fillZone)
		r.fill(-int64(r.front), r.front, fillZone)
		r.finishFill()
	}
	return text
}

// edges returns the red zones or copies of them. Each copy from a device waits, so a short block is copied in one piece together with its zones.
func (r *blockRecord) edges() (front, tail []byte) {
	const short = 4 << 10
	if r.ptr != nil || r.bytes > short {
		return r.view(-int64(r.front), r.front), r.view(int64(r.bytes), r.tail)
	}
	all := r.view(-int64(r.front), r.front+r.bytes+r.tail)
	if all == nil {
		return nil, nil
	}
	return all[:r.front], all[r.front+r.bytes:]
}

// afterlife returns what was written to a block after it was freed, "" if nothing was.
func (r *blockRecord) afterlife() string {
	d, ok := r.inspect(0, r.bytes, fillDead)
	if ok {
		return ""
	}
	return fmt.Sprintf("%s of the block %s written to after it was freed, from its byte %d on: %s", d.length(), d.were(), d.from, d.hex())
}
