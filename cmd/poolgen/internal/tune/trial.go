package tune

import (
	"time"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay"
)

// Trial is a candidate and its results, a row for each trace. A candidate that is not a legal pool has no rows.
type Trial struct {
	Candidate
	Rows []replay.Row
}

// served reports whether the pool worked and served all requests.
func (t Trial) served() bool {
	for _, r := range t.Rows {
		if r.Skipped != "" || r.Failures > 0 {
			return false
		}
	}
	return len(t.Rows) > 0
}

// Time returns the time of an operation. The times of the simulated driver mean nothing, so each of its calls counts as call.
func Time(r replay.Row, call time.Duration) float64 {
	if call <= 0 {
		return r.NSPerOp
	}
	return r.PoolNSPerOp + callsPerOp(r)*float64(call.Nanoseconds())
}

func callsPerOp(r replay.Row) float64 {
	return float64(r.DriverCalls) / float64(max(r.Allocs+r.Frees, 1))
}

// point returns the worst figures over all traces but one; -1 leaves none out.
func (t Trial) point(call time.Duration, without int) Point {
	p := Point{Size: t.settings()}
	for i, r := range t.Rows {
		if i != without {
			p.Ratio, p.NS = max(p.Ratio, r.Ratio), max(p.NS, Time(r, call))
		}
	}
	return p
}

// exact returns the point with calls of the source instead of time: it is the same in each run.
func (t Trial) exact() Point {
	p := Point{Size: t.settings()}
	for _, r := range t.Rows {
		p.Ratio, p.NS = max(p.Ratio, r.Ratio), max(p.NS, callsPerOp(r))
	}
	return p
}

// points returns the points of several trials.
func points(trials []Trial, call time.Duration, without int) (list []Point) {
	for _, t := range trials {
		list = append(list, t.point(call, without))
	}
	return list
}
