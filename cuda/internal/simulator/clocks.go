package simulator

import (
	"slices"

	"github.com/poolgen/poolgen/cuda/internal/simulator/hazard"
)

// hostAxis is the axis of the program itself. All its threads count as one: if one of them has waited for something, all have.
const hostAxis = 0

// clocks holds the happens-before order. There is an axis for the host, and one for each stream and each branch of a graph that was launched.
type clocks struct {
	host    hazard.Clock // work that the program knows to be done, and its own work
	axes    int
	ended   []hazard.Point // final positions of axes that are no longer in use
	checker hazard.Checker
}

func newClocks() clocks { return clocks{host: hazard.Clock{1}, axes: 1} }

// takeAxis returns an axis for work that starts after clock: one that ended before that, or a new one.
func (l *clocks) takeAxis(clock hazard.Clock) int {
	i := slices.IndexFunc(l.ended, clock.Covers)
	if i < 0 {
		l.axes++
		return l.axes - 1
	}
	axis := l.ended[i].Axis
	l.ended = slices.Delete(l.ended, i, i+1)
	return axis
}

// releaseAxis lets an axis that has ended be used again.
func (l *clocks) releaseAxis(axis int, clock hazard.Clock) {
	l.ended = append(l.ended, hazard.Point{Axis: axis, Tick: clock.At(axis)})
}
