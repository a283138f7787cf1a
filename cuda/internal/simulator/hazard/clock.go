package hazard

import "fmt"

// Point is one position on an axis: the tick-th event there.
type Point struct {
	Axis  int
	Tick  uint64
	Where string // such as "stream 3"
	What  string // such as "cuMemsetD8Async"
}

// String returns for example "stream 3, position 17, cuMemsetD8Async".
func (p Point) String() string { return fmt.Sprintf("%s, position %d, %s", p.Where, p.Tick, p.What) }

// Clock gives for each axis the position up to which everything happened before. Axes beyond its length are at 0. A Clock is
// never changed once it is shared: Join and Tick return another.
type Clock []uint64

// Covers reports whether the point happened before an operation with this clock.
func (c Clock) Covers(p Point) bool { return p.Tick <= c.At(p.Axis) }

// Holds reports whether c covers everything that o covers.
func (c Clock) Holds(o Clock) bool {
	for axis, tick := range o {
		if tick > c.At(axis) {
			return false
		}
	}
	return true
}

// Join returns a clock that covers what either clock covers. It returns one of the two if that suffices.
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
	for axis, tick := range o {
		sum[axis] = max(sum[axis], tick)
	}
	return sum
}

// Tick returns the clock moved to the next position of an axis.
func (c Clock) Tick(axis int) Clock {
	next := make(Clock, max(len(c), axis+1))
	copy(next, c)
	next[axis]++
	return next
}

// At returns the position of an axis.
func (c Clock) At(axis int) uint64 {
	if axis < len(c) {
		return c[axis]
	}
	return 0
}
