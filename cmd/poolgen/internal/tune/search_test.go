package tune

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay"
	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/tests/fatal"
)

// usualLoad is about that of a large model.
var usualLoad = Load{Largest: 1 << 30, Peak: 2 << 30}

// machine simulates pools: the figures of a candidate follow from its settings, except for the noise of times.
type machine struct {
	noise *rand.Rand // nil: none
	tried [][]Candidate
}

func (m *machine) measure(_ context.Context, list []Candidate, _ int) (trials []Trial, err error) {
	m.tried = append(m.tried, list)
	for _, c := range list {
		t := Trial{Candidate: c}
		for k := range 3 {
			h := fnv.New64a()
			h.Write([]byte(c.String()))
			r := rand.New(rand.NewPCG(h.Sum64(), uint64(k)))
			row := replay.Row{Allocs: 500, Frees: 500, Ratio: 1 + float64(r.IntN(100))/100, DriverCalls: int64(r.IntN(1000))}
			row.PoolNSPerOp = 20 + 100*r.Float64()
			if m.noise != nil {
				row.PoolNSPerOp *= 1 + m.noise.Float64()
			}
			row.NSPerOp = row.PoolNSPerOp + float64(row.DriverCalls)
			if c[Suballocator] == "ring" {
				row.Failures = 1
			}
			t.Rows = append(t.Rows, row)
		}
		trials = append(trials, t)
	}
	return trials, nil
}

// Candidates are legal settings of pools on which traces can be replayed.
func TestSearchedIsLegal(t *testing.T) {
	for _, s := range searched {
		if info := s.suballocator.Info(); info.Name == "" || info.Order == spec.AllAtOnce {
			t.Errorf("%s: no suballocator that frees single blocks", s.suballocator)
		}
		for key := range keys {
			i := slices.IndexFunc(spec.Keys(spec.PoolSection), func(k spec.Key) bool { return k.Name == keys[key] })
			legal := spec.Keys(spec.PoolSection)[i].Suballocators
			if (s.most[key] > 0 || slices.Contains(s.refined, key)) && legal != nil && !slices.Contains(legal, s.suballocator) {
				t.Errorf("%s: its pools have no key %s", s.suballocator, keys[key])
			}
		}
	}
}

func search(m *machine, seed uint64) Search {
	return Search{Load: usualLoad, Allocators: []string{"host", "device"}, Seed: seed, Rounds: 3, Each: 20, Measure: m.measure}
}

// The candidates depend on the seed, and not on times.
func TestSearchIsDeterministic(t *testing.T) {
	run := func(seed, noise uint64) [][]Candidate {
		m := &machine{noise: rand.New(rand.NewPCG(noise, 0))}
		if _, err := search(m, seed).Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		return m.tried[:4] // the grid and three rounds; times decide what is measured again
	}
	first := run(1, 1)
	if !reflect.DeepEqual(first, run(1, 2)) {
		t.Error("times decided what was tried")
	}
	if reflect.DeepEqual(first, run(2, 1)) {
		t.Error("the seed decides nothing")
	}
}

// No candidate beats the result, and no candidate is tried twice.
func TestSearchFindsTheBest(t *testing.T) {
	for seed := range uint64(20) {
		m := &machine{}
		s := search(m, seed)
		o, err := s.Run(context.Background())
		fatal.If(t, err)
		known := map[Candidate]bool{}
		var all []Point
		for _, list := range m.tried[:4] {
			for _, c := range list {
				if known[c] {
					t.Fatalf("%s is tried twice", c)
				}
				known[c] = true
			}
			trials, _ := (&machine{}).measure(context.Background(), list, 1)
			for _, trial := range trials {
				if trial.served() {
					all = append(all, trial.point(0, -1))
				}
			}
		}
		if o.Tried != len(known) {
			t.Errorf("%d tried, said %d", len(known), o.Tried)
		}
		front := points(o.Finals, 0, -1)
		best := frontOf(all, usualTolerance)
		if len(best) != len(o.Front) {
			t.Fatalf("front of %d, want %d", len(o.Front), len(best))
		}
		for k, i := range o.Front {
			if front[i] != all[best[k]] {
				t.Errorf("%+v on the front, want %+v", front[i], all[best[k]])
			}
		}
		usual := o.Finals[0].point(0, -1)
		if p := front[o.Pick]; (1-usualTolerance)*p.NS > usual.NS || p.Ratio > usual.Ratio {
			t.Errorf("%+v is worse than the default pool %+v", p, usual)
		}
	}
}

// Each choice is the pick with that setting alone as in the default pool.
func TestChoices(t *testing.T) {
	m := &machine{}
	o, err := search(m, 3).Run(context.Background())
	fatal.If(t, err)
	pick := o.Finals[o.Pick]
	own, usual, changed := pick.point(0, -1), Default("host"), 0
	for key, v := range pick.Candidate {
		if v != usual[key] {
			changed++
		}
	}
	if len(o.Choices) != changed || changed == 0 {
		t.Errorf("%d choices for %d settings of %s", len(o.Choices), changed, pick)
	}
	for _, c := range o.Choices {
		p := c.Without.point(0, -1)
		if c.Ratio != own.Ratio-p.Ratio || c.Time != own.NS-p.NS || c.Without.Candidate == pick.Candidate {
			t.Errorf("%s: %+v", c.Key, c)
		}
	}
	if len(o.Left) != 3 {
		t.Fatalf("%d traces left out, want 3", len(o.Left))
	}
	for _, l := range o.Left {
		if l.Ratio != l.Pick.Rows[l.Trace].Ratio || l.Default != o.Finals[0].Rows[l.Trace].Ratio {
			t.Errorf("%+v", l)
		}
	}
}

// A setting that buys nothing when the choices are measured is dropped, unless the bound needs it.
func TestChoicesThatBuyNothing(t *testing.T) {
	for bound, want := range map[float64]string{100: "heap, chunk_size 2MiB", 92: "binned, chunk_size 2MiB"} {
		s := search(nil, 1)
		s.Bound.NS = bound
		s.Measure = func(_ context.Context, list []Candidate, turns int) (trials []Trial, err error) {
			for _, c := range list {
				row := replay.Row{Ratio: 2, NSPerOp: 105}
				if c[ChunkSize] == "2MiB" {
					row.Ratio = 1.5
				}
				if c[Suballocator] == "binned" {
					row.NSPerOp = 100
				}
				if len(list) > 3 && c[Suballocator] == "heap" { // slowed down by other load
					row.NSPerOp = 200
				}
				trials = append(trials, Trial{c, []replay.Row{row}})
			}
			return trials, nil
		}
		o, err := s.Run(context.Background())
		fatal.If(t, err)
		if got := o.Finals[o.Pick].String(); got != want || len(o.Choices) != strings.Count(want, ",")+strings.Count(want, "binned") {
			t.Errorf("within %v ns: %s, with %d choices; want %s", bound, got, len(o.Choices), want)
		}
	}
	if n := Default("host").settings(); n != 0 {
		t.Errorf("the default pool has %d settings", n)
	}
}

func TestBoundThatNothingMeets(t *testing.T) {
	s := search(&machine{}, 1)
	s.Bound = Bound{NS: 0.001}
	if o, err := s.Run(context.Background()); err != nil || o.Pick >= 0 || len(o.Front) == 0 {
		t.Errorf("pick %d, %v", o.Pick, err)
	}
}

// Calls of the simulated driver count as the time that the caller sets.
func TestCallsOfTheSimulatorCountAsSaid(t *testing.T) {
	r := replay.Row{Allocs: 10, Frees: 10, NSPerOp: 500, PoolNSPerOp: 50, DriverCalls: 2}
	if got := Time(r, 0); got != 500 {
		t.Errorf("as measured: %v", got)
	}
	if got := Time(r, time.Microsecond); got != 150 {
		t.Errorf("by calls: %v", got)
	}
}

func TestDefaultPoolThatCannotBeHad(t *testing.T) {
	s := search(nil, 1)
	s.Measure = func(_ context.Context, list []Candidate, _ int) (trials []Trial, err error) {
		for _, c := range list {
			trials = append(trials, Trial{c, []replay.Row{{Skipped: "no driver"}}})
		}
		return trials, nil
	}
	if _, err := s.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "no driver") {
		t.Errorf("got %v", err)
	}
}

// Blocks of one size are proposed for requests of one size, and for no others.
func TestFixedIsProposedForOneSize(t *testing.T) {
	for _, one := range []bool{false, true} {
		load := Load{Largest: 5020, OneSize: one, Peak: 100_000}
		found := slices.ContainsFunc(load.grid([]string{"host"}), func(c Candidate) bool { return c[Suballocator] == "fixed" && c[BlockSize] == "5024B" })
		if found != one {
			t.Errorf("one size: %v, fixed: %v", one, found)
		}
	}
}

// All candidates of the grid are legal pools, for large and small loads.
func TestGridIsLegal(t *testing.T) {
	for _, load := range []Load{usualLoad, {Largest: 1, OneSize: true, Peak: 1}, {Largest: 3000, Peak: 100_000}, {Largest: 1 << 40, Peak: 1 << 41}} {
		for _, allocator := range []string{"host", "pinned", "device", "device_virtual", "device_async"} {
			known := map[Candidate]bool{}
			for _, c := range load.grid([]string{allocator}) {
				if known[c] && c != Default(allocator) {
					t.Errorf("%s is there twice", c)
				}
				known[c] = true
				doc, found := spec.Load("f", []byte("version: 1\npools:\n"+c.YAML("P")))
				if doc != nil && len(found) == 0 {
					_, found = doc.Validate(spec.Env{Dir: "p"})
				}
				if len(found) > 0 {
					t.Errorf("%+v: %s: %v", load, c, found[0])
				}
			}
		}
	}
}
