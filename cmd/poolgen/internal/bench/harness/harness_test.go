package harness

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// fake is a pool, or two calls, on a counter.
type fake struct {
	live, most, opened, closed int
	limit                      int
}

var errLimit = errors.New("limit reached")

func (f *fake) take() error {
	if f.live == f.limit {
		return errLimit
	}
	f.live++
	f.most = max(f.most, f.live)
	return nil
}

// pool describes it as one of blocks of 8 bytes.
func (f *fake) pool() Pool {
	return Pool{Item: 8, Granule: 8, Chunk: 1024, Limit: int64(8 * f.limit), Single: true, Alone: true, New: func() (Instance, error) {
		f.opened++
		f.live = 0
		return Instance{
			Effective: func() (string, string) { return "host", "" },
			First:     f.take,
			Work: func(l *Load) (Worker, error) {
				blocks := Items(l, func() (int, error) { return 0, nil })
				return func(n int) (int, error) {
					for f.live < len(blocks) {
						if err := f.take(); err != nil {
							return 0, err
						}
					}
					return n, nil
				}, nil
			},
			Close: func() error { f.closed++; return nil },
		}, nil
	}}
}

func (f *fake) peer(name string, granule int64) Peer {
	return Called(name, granule, func() (Calls, error) {
		f.opened++
		return Calls{
			Take:  func(int64) (uint64, error) { return 7, f.take() },
			Give:  func(uint64, int64) error { f.live--; return nil },
			Close: func() error { f.closed++; return nil },
		}, nil
	})
}

var brief = Options{Turns: 3, Span: time.Microsecond}

// All cases that fit the limit are measured, for the pool and its peers. The refusals of a peer are noted.
func TestBench(t *testing.T) {
	pool, good, bad := &fake{limit: 300}, &fake{limit: 1000}, &fake{limit: 80}
	p := pool.pool()
	p.Peers = []func() ([]Peer, error){
		func() ([]Peer, error) {
			return []Peer{good.peer("good", 0), bad.peer("bad", 0), good.peer("vast", 1<<29)}, nil
		},
		func() ([]Peer, error) { return nil, errors.New("some are not here") },
		New[[8]byte],
	}
	r := bench(&p, "", brief)
	var got []string
	for _, row := range r.Rows {
		got = append(got, fmt.Sprintf("%s %d %s", row.Name, row.Live, row.Who))
		if row.NS <= 0 || row.Low > row.NS || row.NS > row.High {
			t.Errorf("%+v", row)
		}
	}
	want := []string{
		"growth 0 pool", "growth 0 good", "growth 0 bad", "growth 0 vast", "growth 0 new", "churn 1 pool", "churn 1 good", "churn 1 bad", "churn 1 vast", "churn 1 new",
		"churn 100 pool", "churn 100 good", "churn 100 new", "batch 64 pool", "batch 64 good", "batch 64 bad", "batch 64 new",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	notes := []string{"some are not here", "100 live: vast: left out, as it would hold more than 1 GiB", "100 live: bad: limit reached", "batch of 64: vast: left out, as it would hold more than 1 GiB"}
	if !slices.Equal(r.Notes, notes) {
		t.Errorf("notes %q", r.Notes)
	}
	for _, f := range []*fake{pool, good, bad} {
		if f.opened != f.closed || f != pool && f.live != 0 {
			t.Errorf("%+v", f)
		}
	}
	if pool.most != 100 || good.most != 100 {
		t.Errorf("%d and %d live", pool.most, good.most)
	}
}

// A pool that cannot be made is skipped, and the reason is the wrapped error.
func TestSkipped(t *testing.T) {
	p := (&fake{limit: 3}).pool()
	p.New = func() (Instance, error) { return Instance{}, errors.Join(errLimit, errors.New("no driver")) }
	if r := bench(&p, "", brief); r.Skipped != "no driver" || len(r.Rows) > 0 {
		t.Errorf("%+v", r)
	}
}

// A pool that fails is noted, and its peers are measured.
func TestPoolFails(t *testing.T) {
	f, good := &fake{limit: 50}, &fake{limit: 1000}
	p := f.pool()
	p.Limit = NoLimit
	p.Peers = []func() ([]Peer, error){func() ([]Peer, error) { return []Peer{good.peer("good", 0)}, nil }}
	r := bench(&p, "", brief)
	if len(r.Notes) != 3 || r.Notes[0] != "100 live: pool: limit reached" || f.opened != f.closed {
		t.Errorf("%q, %+v", r.Notes, f)
	}
}

// Without the program that measures malloc the rest is measured, and the note says what is missing.
func TestMallocThatCannotBeAsked(t *testing.T) {
	for _, program := range []string{filepath.Join(t.TempDir(), "none"), os.Args[0]} { // the second is this one, which ends at once
		p := (&fake{limit: 50}).pool()
		p.Malloc = true
		t.Setenv("POOLGEN_TEST_ENDS", "1")
		r := bench(&p, program, brief)
		if len(r.Notes) != 1 || !strings.HasPrefix(r.Notes[0], "malloc is left out: ") || len(r.Rows) == 0 {
			t.Errorf("%s: %q, %d rows", program, r.Notes, len(r.Rows))
		}
	}
}

func TestMain(m *testing.M) {
	if os.Getenv("POOLGEN_TEST_ENDS") != "" {
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func TestCases(t *testing.T) {
	names := func(p Pool, procs int) string {
		list, sizes := p.cases(procs)
		text := fmt.Sprintf("%d..%d:", sizes.Least, sizes.Most)
		for _, c := range list {
			text += " " + strings.ReplaceAll(c.String(), " ", "_")
		}
		return text
	}
	for _, test := range []struct {
		name string
		pool Pool
		want string
	}{
		{"spans", Pool{Item: 1, Granule: 16, Chunk: 8 << 20, Limit: NoLimit},
			"16..65536: first_block_of_a_new_pool 100_live 1000_live batch_of_64 100_live,_4_threads 1000_live,_4_threads batch_of_64,_4_threads"},
		{"small limit", Pool{Item: 1, Granule: 16, Chunk: 1 << 20, Limit: 1 << 20}, "16..2048: first_block_of_a_new_pool 100_live batch_of_64 100_live,_4_threads batch_of_64,_4_threads"},
		{"alone", Pool{Item: 64, Granule: 64, Chunk: 4096, Limit: 1 << 30, Alone: true}, "1..64: first_block_of_a_new_pool 100_live 1000_live batch_of_64"},
		{"ring", Pool{Item: 1, Granule: 16, Chunk: 4096, Limit: 1 << 20, Order: InOrder, Alone: true}, "16..1024: first_block_of_a_new_pool 100_live 1000_live batch_of_64"},
		{"bump", Pool{Item: 1 << 20, Granule: 256, Chunk: 8 << 20, Limit: NoLimit, Order: AllAtOnce, Alone: true}, "1..8: first_block_of_a_new_pool 100_live 1000_live"},
		{"numbers", Pool{Item: 1, Granule: 1, Limit: 3000, Alone: true}, "1..16: 100_live batch_of_64"},
		{"few blocks", Pool{Item: 100, Granule: 1, Chunk: 200, Limit: 200, Single: true, Streams: true}, "1..1: first_block_of_a_new_pool 1_live"},
		{"on streams", Pool{Item: 256, Granule: 256, Chunk: 1 << 20, Limit: NoLimit, Single: true, Streams: true, Alone: true},
			"1..1: first_block_of_a_new_pool 1_live 100_live 1000_live batch_of_64 100_live,_on_a_stream"},
	} {
		if got := names(test.pool, 4); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.name, got, test.want)
		}
	}
}

// Sizes lie between the bounds, as many in the lower half of the octaves as in the upper.
func TestLoads(t *testing.T) {
	w := Work{Case: Case{Name: churnCase, Live: 100, Threads: 2}, Sizes: Sizes{16, 65536}, Item: 2}
	loads := w.Loads()
	small, sum := 0, 0.0
	for _, s := range loads[0].Steps() {
		if s.Items < 16 || s.Items > 65536 || s.Slot >= 100 {
			t.Fatalf("%+v", s)
		}
		if s.Items < 1024 {
			small++
		}
		sum += float64(s.Items)
	}
	n := len(loads[0].Steps())
	if share := float64(small) / float64(n); share < 0.45 || share > 0.55 {
		t.Errorf("%d of %d are small", small, n)
	}
	if mean := sum / float64(n); mean < 0.9*w.mean() || mean > 1.1*w.mean() {
		t.Errorf("%.0f items on average, not %.0f", mean, w.mean())
	}
	if reflect.DeepEqual(loads[0].Steps(), loads[1].Steps()) {
		t.Error("two threads do the same")
	}
	if first := loads[0].Next(); loads[0].Bytes(first) != 2*int64(first.Items) {
		t.Errorf("%d bytes of %+v", loads[0].Bytes(first), first)
	}
	w.Order = InOrder
	for i, s := range w.Loads()[0].Steps() {
		if s.Slot != uint32(i%100) {
			t.Fatalf("step %d frees block %d", i, s.Slot)
		}
	}
}

// The figures of another process come back, and so do its failures.
func TestServe(t *testing.T) {
	f := &fake{limit: 50}
	questions, ask := io.Pipe()
	answers, answer := io.Pipe()
	done := make(chan error)
	go func() { done <- Serve(questions, answer, []Peer{f.peer("one", 0), f.peer("two", 0)}) }()
	c := conversation{json.NewEncoder(ask), json.NewDecoder(answers)}
	var hello reply
	if err := c.replies.Decode(&hello); err != nil || !slices.Equal(hello.Names, []string{"one", "two"}) {
		t.Fatal(hello, err)
	}
	for _, test := range []struct {
		c    Case
		fail string
	}{{Case{churnCase, 10, 1, false}, ""}, {Case{growthCase, 0, 1, false}, ""}, {Case{churnCase, 60, 1, false}, "limit reached"}} {
		s, err := c.start(1, Work{Case: test.c, Sizes: Sizes{1, 1}, Item: 8, Chunk: 100})
		if err != nil {
			t.Fatal(err)
		}
		ns, err := s.turn(time.Microsecond)
		if test.fail == "" && (err != nil || ns <= 0) || test.fail != "" && (err == nil || err.Error() != test.fail) {
			t.Errorf("%v: %v, %v", test.c, ns, err)
		}
		if err := s.end(); err != nil || f.live != 0 || f.opened != f.closed {
			t.Errorf("%v: %v, %+v", test.c, err, f)
		}
	}
	ask.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Main writes what it measured, or the reason of the failure.
func TestMainFunction(t *testing.T) {
	pools := map[string]func() Pool{"P": func() Pool { f := &fake{limit: 10}; return f.pool() }}
	out := filepath.Join(t.TempDir(), "out")
	var stderr strings.Builder
	if Main(pools, func() string { return "simulator" }, []string{"P", "2", "1us", "", out}, &stderr) != 0 {
		t.Fatal(stderr.String())
	}
	data, err := os.ReadFile(out)
	var r Result
	if err = errors.Join(err, json.Unmarshal(data, &r)); err != nil || r.Driver != "simulator" || len(r.Rows) == 0 || r.Least != 8 || r.Most != 8 {
		t.Errorf("%s, %v", data, err)
	}
	for _, args := range [][]string{{"Q", "2", "1us", "", out}, {"P"}, {"P", "x", "1us", "", out}, {"P", "2", "x", "", out}} {
		if stderr.Reset(); Main(pools, NoDriver, args, &stderr) == 0 || stderr.Len() == 0 {
			t.Errorf("%q: %q", args, stderr.String())
		}
	}
}
