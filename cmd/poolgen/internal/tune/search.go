package tune

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/poolgen/poolgen/internal/figure"
)

// Search describes a search.
type Search struct {
	Load       Load
	Allocators []string
	Bound      Bound // zero: no slower than the default pool
	Seed       uint64
	Rounds     int           // of refinement
	Each       int           // candidates of a round
	Call       time.Duration // time that a call of the simulated driver counts as; 0: the time that it took

	// Measure generates, builds and replays candidates on all traces, in the given number of turns.
	Measure func(ctx context.Context, list []Candidate, turns int) ([]Trial, error)
}

// Turns of a candidate: one turn shows the bytes, which are exact, and roughly the time.
const (
	firstTurns = 1
	lastTurns  = 5
)

// mostFinal is the most candidates that are measured again.
const mostFinal = 24

// Outcome is the result of a search. All times in it are of several turns.
type Outcome struct {
	Tried   int
	Finals  []Trial // the default pool first
	Front   []int   // of Finals
	Pick    int     // of Finals
	Bound   Bound   // as requested, or derived from the default pool
	Choices []Choice
	Left    []LeftOut // a trace each, if there are several
}

// Choice is a setting of the pick: the pick without it.
type Choice struct {
	Key, Value  string
	Without     Trial
	Ratio, Time float64 // figure of the pick minus that of Without: below 0, the choice is a gain
}

// LeftOut is the result on one trace if the others alone decide.
type LeftOut struct {
	Trace              int
	Pick               Trial
	Ratio, NS          float64
	OfAll              float64 // ratio of the pick by all traces
	Default, DefaultNS float64 // of the default pool
}

// Run runs the search.
func (s Search) Run(ctx context.Context) (o Outcome, err error) {
	random := rand.New(rand.NewPCG(s.Seed, 0))
	trials, err := s.Measure(ctx, s.Load.grid(s.Allocators), firstTurns)
	if err != nil {
		return o, err
	}
	if !trials[0].served() { // the default pool
		return o, unserved(trials[0])
	}
	for range s.Rounds {
		next := s.Load.refine(trials, s.Each, random)
		if len(next) == 0 {
			break
		}
		more, err := s.Measure(ctx, next, firstTurns)
		if err != nil {
			return o, err
		}
		trials = append(trials, more...)
	}
	o.Tried = len(trials)
	if o.Finals, err = s.Measure(ctx, s.finalists(trials), lastTurns); err != nil {
		return o, err
	}
	o.Bound = s.bound(o.Finals[0], -1)
	list := points(o.Finals, s.Call, -1)
	o.Front, o.Pick = frontOf(list, usualTolerance), o.Bound.pick(list, usualTolerance)
	if o.Pick < 0 {
		return o, nil
	}
	if o.Finals[o.Pick], o.Choices, err = s.choices(ctx, o.Finals[o.Pick], o.Bound); err != nil {
		return o, err
	}
	o.Left = s.leftOut(o)
	return o, nil
}

// unserved returns the error that the default pool cannot serve the traces.
func unserved(t Trial) error {
	for _, r := range t.Rows {
		switch {
		case r.Skipped != "":
			return fmt.Errorf("there is no such memory here: %s", r.Skipped)
		case r.Failure != "":
			return fmt.Errorf("not served: %s, the first at %s", figure.Count(r.Failures, "request"), r.Failure)
		}
	}
	return fmt.Errorf("no pool of these settings can be generated: %s", t.Candidate)
}

// bound returns the bound of the search: by default, no more time than the default pool takes.
func (s Search) bound(usual Trial, without int) Bound {
	if s.Bound != (Bound{}) {
		return s.Bound
	}
	return Bound{NS: usual.point(s.Call, without).NS}
}

// finalists returns the default pool, and the candidates that are on the front or could be there if times were a little different, also if one of the
// traces is left out.
func (s Search) finalists(trials []Trial) []Candidate {
	list := []Candidate{trials[0].Candidate}
	known := map[Candidate]bool{list[0]: true}
	var served []Trial
	for _, t := range trials {
		if t.served() {
			served = append(served, t)
		}
	}
	for without := -1; without < len(trials[0].Rows); without++ {
		all := points(served, s.Call, without)
		for _, tolerance := range []float64{0, usualTolerance, 3 * usualTolerance} {
			for _, i := range frontOf(all, tolerance) {
				if c := served[i].Candidate; !known[c] && len(list) < mostFinal {
					known[c] = true
					list = append(list, c)
				}
			}
		}
		if len(trials[0].Rows) == 1 {
			break
		}
	}
	return list
}

// leftOut chooses by all traces but one, and returns the result on that one.
func (s Search) leftOut(o Outcome) (list []LeftOut) {
	traces := len(o.Finals[0].Rows)
	if traces < 2 {
		return nil
	}
	for k := range traces {
		i := s.bound(o.Finals[0], k).pick(points(o.Finals, s.Call, k), usualTolerance)
		if i < 0 {
			continue
		}
		at := func(t Trial) (float64, float64) { return t.Rows[k].Ratio, Time(t.Rows[k], s.Call) }
		l := LeftOut{Trace: k, Pick: o.Finals[i]}
		l.Ratio, l.NS = at(o.Finals[i])
		l.OfAll, _ = at(o.Finals[o.Pick])
		l.Default, l.DefaultNS = at(o.Finals[0])
		list = append(list, l)
	}
	return list
}

// choices measures a pick without each of its settings. Those that buy neither bytes nor time are dropped, one after the other; it returns what is left of the
// pick, if that stays within the bound.
func (s Search) choices(ctx context.Context, pick Trial, bound Bound) (_ Trial, list []Choice, err error) {
	var without []Candidate
	usual := Default(s.Allocators[0])
	for key, value := range pick.Candidate {
		if value == usual[key] || key == BlockSize {
			continue
		}
		c := pick.with(key, usual[key])
		if key == Suballocator {
			c[Bins], c[Cache], c[BlockSize] = "", "", ""
		}
		without = append(without, c)
		list = append(list, Choice{Key: keys[key], Value: value})
	}
	if len(without) == 0 {
		return pick, nil, nil
	}
	trials, err := s.Measure(ctx, append([]Candidate{pick.Candidate}, without...), lastTurns)
	if err != nil {
		return pick, nil, err
	}
	own := trials[0].point(s.Call, -1)
	for i, t := range trials[1:] {
		p := t.point(s.Call, -1)
		if t.served() && p.Ratio <= own.Ratio && (1-usualTolerance)*p.NS <= own.NS && bound.pick([]Point{p}, usualTolerance) == 0 {
			return s.choices(ctx, t, bound)
		}
		list[i].Without, list[i].Ratio, list[i].Time = t, own.Ratio-p.Ratio, own.NS-p.NS
	}
	return pick, list, nil
}
