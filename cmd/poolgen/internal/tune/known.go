package tune

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay"
	"github.com/poolgen/poolgen/internal/figure"
)

// Known holds what earlier runs have measured.
type Known struct {
	Lines int         // that are known
	Left  map[Why]int // lines left out

	names  []string        // of the traces
	hashes func() []string // of them: they take a while, and only lines need them
	origin func(Candidate) (Origin, error)
	own    map[Candidate]Origin // those that are known
	fit    map[Candidate]bool   // whether it is a legal pool, as far as that was asked
	rows   map[result]measured
}

// Why is why a line was left out.
type Why string

// The reasons, as they are told.
const (
	OtherVersion Why = "of another poolgen"
	OtherTrace   Why = "of another trace"
	OtherBuild   Why = "of other build tags or another GOARCH"
	CutOff       Why = "cut off"
)

type result struct {
	Candidate
	trace int
}

type measured struct {
	row   replay.Row
	place string // file and line
}

// NewKnown returns a Known without results. What was measured on other traces, or has another origin, will be left out.
func NewKnown(traces []*replay.Trace, origin func(Candidate) (Origin, error)) *Known {
	k := &Known{Left: map[Why]int{}, origin: origin, own: map[Candidate]Origin{}, fit: map[Candidate]bool{}, rows: map[result]measured{}}
	for _, t := range traces {
		k.names = append(k.names, t.Name)
	}
	k.hashes = sync.OnceValue(func() (list []string) {
		for _, t := range traces {
			list = append(list, HashOf(t))
		}
		return list
	})
	return k
}

// Read adds the results in a file. Two results for one candidate and trace must be equal in all but time, of which the first is kept. A last line that
// has no end is left out: who was writing it has been killed, or is still writing. What does not begin as a result is refused there, too, because others
// append behind the last line with an end, and would write over a file of something else.
func (k *Known) Read(name string, text []byte) error {
	for n := 1; len(text) > 0; n++ {
		line, rest, ended := bytes.Cut(text, []byte("\n"))
		text = rest
		place := fmt.Sprintf("%s:%d", name, n)
		if !ended && !beginsAsResult(line) {
			return fmt.Errorf("%s: not a result of poolgen tune", place)
		}
		if !ended {
			k.Left[CutOff]++
			break
		}
		var l Line
		if err := json.Unmarshal(line, &l); err != nil {
			return fmt.Errorf("%s: not a result of poolgen tune: %w", place, err)
		}
		if err := k.add(l, place); err != nil {
			return err
		}
	}
	return nil
}

// beginsAsResult reports whether a text is the beginning of a line that Encode writes.
func beginsAsResult(text []byte) bool {
	begin := []byte(`{"poolgen":`)
	return bytes.HasPrefix(text, begin) || bytes.HasPrefix(begin, text)
}

func (k *Known) add(l Line, place string) error {
	c, err := candidateOf(l.Candidate)
	if err != nil || !k.legal(c) { // here, all that is searched is legal, or is not measured
		k.Left[OtherVersion]++
		return nil
	}
	own, err := k.Origin(c)
	if err != nil {
		return err
	}
	trace := slices.Index(k.hashes(), l.Trace)
	switch {
	case l.Poolgen != own.Poolgen || l.Code != own.Code:
		k.Left[OtherVersion]++
	case l.Tags != own.Tags || l.GOARCH != own.GOARCH:
		k.Left[OtherBuild]++
	case trace < 0:
		k.Left[OtherTrace]++
	default:
		l.Row.Failure = l.Failure
		return k.put(result{c, trace}, measured{l.Row, place})
	}
	return nil
}

// put keeps a result, unless there is one.
func (k *Known) put(r result, m measured) error {
	before, ok := k.rows[r]
	if !ok {
		k.rows[r] = m
		k.Lines++
		return nil
	}
	if a, b := exactOf(before.row), exactOf(m.row); a != b {
		return fmt.Errorf("%s and %s contradict each other about %s: %+v and %+v; remove the wrong one, then repeat", before.place, m.place, r.Candidate, a, b)
	}
	return nil
}

// exact are the figures of a row that are equal in each run.
type exact struct{ Failures, PeakLive, PeakReserved, DriverCalls int64 }

func exactOf(r replay.Row) exact {
	return exact{r.Failures, r.PeakLive, r.PeakReserved, r.DriverCalls}
}

// Origin returns the origin of what this process measures of a candidate.
func (k *Known) Origin(c Candidate) (Origin, error) {
	if o, ok := k.own[c]; ok {
		return o, nil
	}
	o, err := k.origin(c)
	if err == nil {
		k.own[c] = o
	}
	return o, err
}

func (k *Known) legal(c Candidate) bool {
	fit, asked := k.fit[c]
	if !asked {
		fit = c.legal()
		k.fit[c] = fit
	}
	return fit
}

// trial returns the results of a candidate if all are known: those on each trace, up to the first that the pool does not serve. Those of a candidate that
// is not a legal pool are always known.
func (k *Known) trial(c Candidate) (Trial, bool) {
	t := Trial{Candidate: c}
	for i, name := range k.names {
		m, ok := k.rows[result{c, i}]
		if !ok {
			return t, !k.legal(c)
		}
		m.row.Trace = name
		t.Rows = append(t.Rows, m.row)
		if m.row.Failures > 0 {
			break
		}
	}
	return t, true
}

// Encode returns the lines for a trial, as Read takes them. A pool that does not work on this machine has no results: others might take them for theirs.
func (k *Known) Encode(t Trial) ([]byte, error) {
	origin, err := k.Origin(t.Candidate)
	if err != nil {
		return nil, err
	}
	var text []byte
	for i, r := range t.Rows {
		if r.Skipped != "" {
			return nil, unserved(t)
		}
		line, err := json.Marshal(Line{Origin: origin, Candidate: t.set(), Trace: k.hashes()[i], Row: r, Failure: r.Failure})
		if err != nil {
			return nil, err
		}
		text = append(append(text, line...), '\n')
	}
	return text, nil
}

// String says what was read, and what was left out and why.
func (k *Known) String() string {
	text := figure.Count(int64(k.Lines), "result") + " known"
	for _, why := range []Why{OtherVersion, OtherTrace, OtherBuild, CutOff} {
		if n := k.Left[why]; n > 0 {
			text += fmt.Sprintf("; %s %s left out", figure.Count(int64(n), "line"), why)
		}
	}
	return text
}
