package tune

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay"
	"github.com/poolgen/poolgen/tests/fatal"
)

// cluster is machines that share files. Each has noise of its own in the times.
type cluster struct {
	t     *testing.T
	files map[string][]byte // of results
	tried map[Candidate]int // how often each was measured
}

// threeTraces are as many as the simulated pools have rows.
func threeTraces(t *testing.T) (list []*replay.Trace) {
	t.Helper()
	for k := range 3 {
		read, err := replay.ReadTraces(fmt.Sprintf("%d.csv", k), strings.NewReader(fmt.Sprintf("op,id,bytes,stream,time_us\na,0,%d,0,0\n", 100+k)))
		fatal.If(t, err)
		list = append(list, read...)
	}
	return list
}

func sameOrigin(Candidate) (Origin, error) {
	return Origin{Poolgen: "v1.2.3", Code: "c0de", GOARCH: "amd64"}, nil
}

var errKilled = errors.New("killed")

// run starts the search as one process, which writes to a file. After as many records as die says, it is killed while it writes the next one.
func (c *cluster) run(shard Shard, file string, die int) (Outcome, error) {
	c.t.Helper()
	m := &machine{noise: rand.New(rand.NewPCG(uint64(len(c.tried)), 7))}
	known := NewKnown(threeTraces(c.t), sameOrigin)
	for name, text := range c.files {
		fatal.If(c.t, known.Read(name, text))
	}
	shared := &Shared{Known: known, Shard: shard, Record: func(t Trial) error {
		text, err := known.Encode(t)
		fatal.If(c.t, err)
		if die--; die == 0 {
			text = text[:len(text)-5]
		}
		c.files[file] = append(c.files[file][:bytes.LastIndexByte(c.files[file], '\n')+1], text...)
		if die == 0 {
			return errKilled
		}
		return nil
	}}
	shared.Measure = func(ctx context.Context, list []Candidate, turns int, done func(Trial) error) ([]Trial, error) {
		trials, err := m.measure(ctx, list, turns)
		for _, t := range trials {
			if done == nil {
				break
			}
			c.tried[t.Candidate]++
			if err := done(t); err != nil {
				return nil, err
			}
		}
		return trials, err
	}
	s := search(m, 1)
	s.Measure = shared.Round
	return s.Run(c.t.Context())
}

// bytesOf are the exact figures of all results in the files.
func (c *cluster) bytesOf() map[result]exact {
	known := NewKnown(threeTraces(c.t), sameOrigin)
	for name, text := range c.files {
		fatal.If(c.t, known.Read(name, text))
	}
	all := map[result]exact{}
	for r, m := range known.rows {
		all[r] = exactOf(m.row)
	}
	return all
}

// A search in any number of shards, in any order, one of which is killed and repeated, tries what one process tries, each candidate once, and finds
// the same bytes.
func TestShardsAreOneSearch(t *testing.T) {
	whole := &cluster{t: t, files: map[string][]byte{}, tried: map[Candidate]int{}}
	want, err := whole.run(Shard{}, "all", 0)
	fatal.If(t, err)
	for _, n := range []int{1, 3, 16} {
		c := &cluster{t: t, files: map[string][]byte{}, tried: map[Candidate]int{}}
		for round := 0; ; round++ {
			var part *Incomplete
			for k, i := range rand.New(rand.NewPCG(uint64(n), uint64(round))).Perm(n) {
				shard, file := Shard{i, n}, fmt.Sprintf("%d.jsonl", i)
				if k == 0 && round == 1 {
					if _, err := c.run(shard, file, 2); !errors.Is(err, errKilled) {
						t.Fatalf("%d shards: got %v from one that is killed", n, err)
					}
				}
				if _, err := c.run(shard, file, 0); !errors.As(err, &part) || part.Round != 0 && part.Round != round+1 {
					t.Fatalf("%d shards, round %d: got %v", n, round+1, err)
				}
			}
			if part.Round == 0 {
				break
			}
		}
		killed := 0
		for candidate, times := range c.tried {
			if times > 1 {
				killed++ // it was being written
			}
			if whole.tried[candidate] == 0 {
				t.Errorf("%d shards try %s, one process does not", n, candidate)
			}
		}
		if len(c.tried) != len(whole.tried) || killed > 1 {
			t.Errorf("%d shards try %d candidates, %d of them again; one process tries %d", n, len(c.tried), killed, len(whole.tried))
		}
		if !reflect.DeepEqual(c.bytesOf(), whole.bytesOf()) {
			t.Errorf("%d shards find other bytes than one process", n)
		}
		before := len(c.tried)
		if got, err := c.run(Shard{}, "merge", 0); err != nil || got.Tried != want.Tried || len(c.tried) != before {
			t.Errorf("%d shards: the merge has %d candidates, want %d, and measures %d more: %v", n, got.Tried, want.Tried, len(c.tried)-before, err)
		}
	}
}

// A shard whose part of a round is known waits for the others: it measures nothing and writes nothing.
func TestShardWithoutWork(t *testing.T) {
	c := &cluster{t: t, files: map[string][]byte{}, tried: map[Candidate]int{}}
	c.run(Shard{0, 2}, "0", 0)
	text, part := string(c.files["0"]), &Incomplete{}
	if _, err := c.run(Shard{0, 2}, "0", 0); !errors.As(err, &part) || part.Round != 1 || part.Measured != 0 || part.Missing == 0 || string(c.files["0"]) != text {
		t.Errorf("got %v", err)
	}
}

// An interrupted search goes on where it was, without shards.
func TestInterruptedSearchGoesOn(t *testing.T) {
	c := &cluster{t: t, files: map[string][]byte{}, tried: map[Candidate]int{}}
	if _, err := c.run(Shard{}, "all", 20); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	if _, err := c.run(Shard{}, "all", 0); err != nil {
		t.Fatal(err)
	}
	again := 0
	for _, times := range c.tried {
		again += times - 1
	}
	if again != 1 {
		t.Errorf("%d candidates measured again, want the one whose line was cut off", again)
	}
}

func TestParseShard(t *testing.T) {
	if s, err := ParseShard("3/16"); err != nil || s != (Shard{3, 16}) {
		t.Errorf("got %v, %v", s, err)
	}
	for _, bad := range []string{"", "3", "16/16", "-1/3", "0/0", "a/3", "1/b", "1/2/3", "0/10001"} {
		if s, err := ParseShard(bad); err == nil {
			t.Errorf("%q is read as %v", bad, s)
		}
	}
}

// lines returns the lines for one candidate, as they are written.
func lines(t *testing.T, k *Known, reserved int64) string {
	t.Helper()
	trial := Trial{Candidate: Default("host")}
	for range 3 {
		trial.Rows = append(trial.Rows, replay.Row{Allocs: 1, PeakLive: 10, PeakReserved: reserved, Ratio: float64(reserved) / 10})
	}
	text, err := k.Encode(trial)
	fatal.If(t, err)
	return string(text)
}

func TestKnownLeavesOut(t *testing.T) {
	written := lines(t, NewKnown(threeTraces(t), sameOrigin), 30)
	for _, c := range []struct {
		name, old, new string
		why            Why
	}{
		{"version", "v1.2.3", "v1.2.4", OtherVersion},
		{"code", "c0de", "c1de", OtherVersion},
		{"setting that is no more", `"suballocator"`, `"placement"`, OtherVersion},
		{"value that is no more", `"heap"`, `"pile"`, OtherVersion},
		{"tags", `"tags":""`, `"tags":"cudasim"`, OtherBuild},
		{"processor", "amd64", "arm64", OtherBuild},
		{"trace", `"trace":"`, `"trace":"f`, OtherTrace},
		{"end", "", "", CutOff},
	} {
		k := NewKnown(threeTraces(t), sameOrigin)
		text := strings.ReplaceAll(written, c.old, c.new)
		if c.old == "" {
			text = written[:len(written)-1]
		} else if text == written {
			t.Fatalf("%s: no %s in %s", c.name, c.old, written)
		}
		if err := k.Read("a.jsonl", []byte(text)); err != nil || k.Left[c.why] == 0 || !strings.Contains(k.String(), string(c.why)+" left out") {
			t.Errorf("%s: %v, %v", c.name, k, err)
		}
		if _, known := k.trial(Default("host")); known {
			t.Errorf("%s: known all the same", c.name)
		}
	}
}

// Equal results are harmless. Results that contradict each other are refused, with both places.
func TestKnownTwice(t *testing.T) {
	k := NewKnown(threeTraces(t), sameOrigin)
	text := lines(t, k, 30)
	for _, name := range []string{"a.jsonl", "b.jsonl"} {
		fatal.If(t, k.Read(name, []byte(text)))
	}
	if k.Lines != 3 {
		t.Errorf("%d results, want 3", k.Lines)
	}
	err := k.Read("c.jsonl", []byte(lines(t, k, 31)))
	if err == nil || !strings.Contains(err.Error(), "a.jsonl:1") || !strings.Contains(err.Error(), "c.jsonl:1") {
		t.Errorf("got %v", err)
	}
	for _, other := range []string{"run,1\n", "run,1"} { // the second must not pass as a line that was cut off: what is cut off is written over
		if err := k.Read("d.jsonl", []byte(other)); err == nil || !strings.Contains(err.Error(), "d.jsonl:1: not a result") {
			t.Errorf("%q: got %v", other, err)
		}
	}
}

// What a machine does not have is not a result for others.
func TestSkippedIsNotRecorded(t *testing.T) {
	k := NewKnown(threeTraces(t), sameOrigin)
	if text, err := k.Encode(Trial{Default("device"), []replay.Row{{Skipped: "no driver"}}}); err == nil || !strings.Contains(err.Error(), "no driver") {
		t.Errorf("got %s, %v", text, err)
	}
}

// A candidate that a trace rules out is known without the traces after it.
func TestKnownFailure(t *testing.T) {
	k := NewKnown(threeTraces(t), sameOrigin)
	want := Trial{Default("host"), []replay.Row{{Allocs: 1, Trace: "0.csv"}, {Failures: 1, Failure: "line 2: full", Trace: "1.csv"}}}
	text, err := k.Encode(want)
	if err == nil {
		err = k.Read("a", text)
	}
	fatal.If(t, err)
	if got, known := k.trial(want.Candidate); !known || !slices.EqualFunc(got.Rows, want.Rows, func(a, b replay.Row) bool { return reflect.DeepEqual(a, b) }) {
		t.Errorf("got %+v, %v", got, known)
	}
}
