//go:build pooldebug

package runtime

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unsafe"
)

// What memory is filled with, as is the custom of debug builds.
const (
	fillFresh byte = 0xCD // of a block that was handed out
	fillDead  byte = 0xDD // of one that was freed
	fillZone  byte = 0xFD // red zones
)

const (
	zoneMost  = 256     // bytes of the red zone behind a block, at most
	frontMost = 16      // in front of it
	zoneUnit  = 16      // chunks are multiples of it before they are spread
	fillMost  = 1 << 20 // a longer block is filled at both ends, half as much each
)

// fence lays the red zones round a block.
func (s *sighting) fence(w *watching, g ground) {
	if s.closed() {
		return
	}
	s.front, s.tail = w.zones(s.bytes, g)
	s.fill(int64(s.bytes), s.tail, fillZone)
	s.fill(-int64(s.front), s.front, fillZone)
}

// zones is how many bytes the red zones of a block have. Behind it is what its own length was rounded up and spread by, in front of it what the neighbour's
// was spread by, of which there is at least as much as the block is long: all lengths are multiples of one unit, or the same.
func (w *watching) zones(bytes uint64, g ground) (front, tail uint64) {
	tail = min(w.spread*g.room-bytes, zoneMost)
	if w.spread > 1 && !g.first {
		front = min(g.room, frontMost)
	}
	return front, tail
}

// closed reports whether the memory cannot be reached, or must not be.
func (s *sighting) closed() bool { return s.bare || s.ptr == nil && s.far == nil }

// view is n bytes from an offset of the block on, or a copy of them, as far as they can be reached.
func (s *sighting) view(from int64, n uint64) []byte {
	switch {
	case s.closed():
		return nil
	case s.ptr != nil:
		return unsafe.Slice((*byte)(unsafe.Add(s.ptr, from)), n)
	}
	v := make([]byte, n)
	if n == 0 || s.far.Read(v, s.place+uint64(from)) != nil {
		return nil
	}
	return v
}

// parts are the pieces of n bytes that are filled.
func parts(n uint64) [][2]uint64 {
	if n <= fillMost {
		return [][2]uint64{{0, n}}
	}
	return [][2]uint64{{0, fillMost / 2}, {n - fillMost/2, fillMost / 2}}
}

// fill fills n bytes from an offset of the block on.
func (s *sighting) fill(from int64, n uint64, with byte) {
	for _, p := range parts(n) {
		if s.closed() {
			return
		}
		if s.ptr == nil && p[1] > 0 {
			s.tried(s.far.Fill(s.place+uint64(from)+p[0], p[1], with)) // settle waits
			continue
		}
		v := s.view(from+int64(p[0]), p[1])
		for i := range v {
			v[i] = with
		}
	}
}

// settle waits until what was filled is.
func (s *sighting) settle() {
	if !s.closed() && s.ptr == nil {
		s.tried(s.far.Settle())
	}
}

// tried leaves the memory alone from now on if the driver failed, who says so elsewhere: nobody knows what is in it.
func (s *sighting) tried(err error) {
	if err != nil {
		s.bare, s.front, s.tail = true, 0, 0
	}
}

// damage is a place that was written to against the rules.
type damage struct {
	from  int64 // offset from the block
	bytes []byte
}

// inspect returns what of n filled bytes is not as it was, from the first such byte to the last.
func (s *sighting) inspect(from int64, n uint64, with byte) (d damage, ok bool) {
	for _, p := range parts(n) {
		at := from + int64(p[0])
		if d, ok := compare(s.view(at, p[1]), at, with); !ok {
			return d, false
		}
	}
	return damage{}, true
}

// compare does so with what lies at an offset of a block, or a copy of it.
func compare(v []byte, at int64, with byte) (d damage, ok bool) {
	wrong := func(b byte) bool { return b != with }
	first := slices.IndexFunc(v, wrong)
	if first < 0 {
		return damage{}, true
	}
	last := len(v) - 1
	for !wrong(v[last]) {
		last--
	}
	return damage{at + int64(first), bytes.Clone(v[first : last+1])}, false
}

// zones says what is wrong with the red zones, "" if nothing is, and mends them.
func (s *sighting) zones() string {
	front, tail := s.edges()
	text := s.harm(front, tail)
	if text != "" {
		s.fill(int64(s.bytes), s.tail, fillZone)
		s.fill(-int64(s.front), s.front, fillZone)
		s.settle()
	}
	return text
}

// edges are the red zones, or copies of them: where each look waits for a device, a short block is copied with them.
func (s *sighting) edges() (front, tail []byte) {
	const short = 4 << 10
	if s.ptr != nil || s.bytes > short {
		return s.view(-int64(s.front), s.front), s.view(int64(s.bytes), s.tail)
	}
	all := s.view(-int64(s.front), s.front+s.bytes+s.tail)
	if all == nil {
		return nil, nil
	}
	return all[:s.front], all[s.front+s.bytes:]
}

// harm says what is wrong with the contents of red zones, "" if nothing is.
func (s *sighting) harm(front, tail []byte) string {
	var found []string
	if d, ok := compare(tail, int64(s.bytes), fillZone); !ok {
		found = append(found, fmt.Sprintf("%s behind the block %s written to, from its byte %d on: %s", d.length(), d.were(), d.from, d.hex()))
	}
	if d, ok := compare(front, -int64(len(front)), fillZone); !ok {
		found = append(found, fmt.Sprintf("%s in front of the block %s written to, from %d before it on: %s", d.length(), d.were(), -d.from, d.hex()))
	}
	return strings.Join(found, "; ")
}

// afterlife says what was written to a block after it was freed, "" if nothing was.
func (s *sighting) afterlife() string {
	d, ok := s.inspect(0, s.bytes, fillDead)
	if ok {
		return ""
	}
	return fmt.Sprintf("%s of the block %s written to after it was freed, from its byte %d on: %s", d.length(), d.were(), d.from, d.hex())
}

// length and were say how many bytes there are.
func (d damage) length() string { return countOf(int64(len(d.bytes)), "byte") }
func (d damage) were() string {
	if len(d.bytes) == 1 {
		return "was"
	}
	return "were"
}

// hex shows the first of the bytes.
func (d damage) hex() string {
	const most = 16
	if len(d.bytes) > most {
		return fmt.Sprintf("% x ...", d.bytes[:most])
	}
	return fmt.Sprintf("% x", d.bytes)
}
