package hazard

import "fmt"

// Point is one position in a lane: the tick-th thing that happened there.
type Point struct {
	Lane  int
	Tick  uint64
	Where string // such as "stream 3"
	What  string // such as "cuMemsetD8Async"
}

// String returns for example "stream 3, position 17, cuMemsetD8Async".
func (p Point) String() string { return fmt.Sprintf("%s, position %d, %s", p.Where, p.Tick, p.What) }

// Clock says for each lane up to which position everything is known to have happened before. Lanes beyond its length are at 0.
// A Clock is never changed once it is shared: Join and Tick return another.
type Clock []uint64

// Covers reports whether the point happened before whatever has this clock.
func (c Clock) Covers(p Point) bool { return p.Tick <= c.At(p.Lane) }

// Holds reports whether c covers all that o covers.
func (c Clock) Holds(o Clock) bool {
	for lane, tick := range o {
		if tick > c.At(lane) {
			return false
		}
	}
	return true
}

// Join returns what either clock covers. It returns one of the two where that is enough.
func (c Clock) Join(o Clock) Clock {
	if c.Holds(o) {
		return c
	}
	if o.Holds(c) {
		return o
	}
	if len(o) > len(c) {
		c, o = o, c
	}
	sum := append(Clock(nil), c...)
	for lane, tick := range o {
		sum[lane] = max(sum[lane], tick)
	}
	return sum
}

// Tick returns the clock moved to the next position of a lane.
func (c Clock) Tick(lane int) Clock {
	next := make(Clock, max(len(c), lane+1))
	copy(next, c)
	next[lane]++
	return next
}

// At returns the position of a lane.
func (c Clock) At(lane int) uint64 {
	if lane < len(c) {
		return c[lane]
	}
	return 0
}
