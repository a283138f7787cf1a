package simulator

import (
	"slices"

	"github.com/poolgen/poolgen/cuda/internal/simulator/hazard"
)

// hostLane is the lane of the program itself. All its threads count as one: what one of them has waited for, all have.
const hostLane = 0

// clocks say what happened before what. Their axes are lanes: one for the host, one for each stream and each branch of a graph that was launched.
type clocks struct {
	host    hazard.Clock // what the program knows to be over, and did itself
	lanes   int
	ended   []hazard.Point // where lanes ended that nobody has any more
	checker hazard.Checker
}

func newClocks() clocks { return clocks{host: hazard.Clock{1}, lanes: 1} }

// takeLane returns a lane for what starts after clock: one that ended before that, or a new one.
func (l *clocks) takeLane(clock hazard.Clock) int {
	i := slices.IndexFunc(l.ended, clock.Covers)
	if i < 0 {
		l.lanes++
		return l.lanes - 1
	}
	lane := l.ended[i].Lane
	l.ended = slices.Delete(l.ended, i, i+1)
	return lane
}

// giveLane gives a lane back that has come to its end.
func (l *clocks) giveLane(lane int, clock hazard.Clock) {
	l.ended = append(l.ended, hazard.Point{Lane: lane, Tick: clock.At(lane)})
}
