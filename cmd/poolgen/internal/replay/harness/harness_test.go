package harness

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
)

// through writes the tape to a file and runs it as the replay command does.
func through(t *testing.T, pool Pool, o Options, tape *Tape) (Result, error) {
	t.Helper()
	dir := t.TempDir()
	file, out := filepath.Join(dir, "tape"), filepath.Join(dir, "out")
	fatal.If(t, os.WriteFile(file, tape.Encode(), 0o644))
	options, err := json.Marshal(o)
	fatal.If(t, err)
	var stderr bytes.Buffer
	if Main(map[string]func() Pool{"P": func() Pool { return pool }}, NoDriver, []string{"P", file, string(options), out}, &stderr) != 0 {
		return Result{}, errors.New(stderr.String())
	}
	data, err := os.ReadFile(out)
	fatal.If(t, err)
	var res Result
	fatal.If(t, json.Unmarshal(data, &res))
	if res.Skipped == "" && (res.NSPerOp <= 0 || res.DriverNSPerOp > res.NSPerOp || res.DriverCalls > 0 && res.DriverNSPerOp <= 0) {
		t.Errorf("times: %+v", res)
	}
	res.NSPerOp, res.DriverNSPerOp = 0, 0
	return res, nil
}

var usual = Options{Runs: 3, Goroutines: 1}

func TestCounts(t *testing.T) {
	for _, test := range []struct {
		name string
		pool *fakePool
		tape *Tape
		want Result
	}{
		{"spans", &fakePool{limit: 1000}, trace([2]uint64{0, 10}, [2]uint64{1, 1}, [2]uint64{0, 0}, [2]uint64{0, 5}, [2]uint64{1, 0}),
			Result{Counts: Counts{Allocs: 3, Frees: 2, PeakLive: 11}, PeakReserved: 16, DriverCalls: 2}},
		{"failures are counted and their frees skipped", &fakePool{limit: 12}, trace([2]uint64{0, 8}, [2]uint64{1, 8}, [2]uint64{1, 0}, [2]uint64{0, 0}, [2]uint64{1, 8}),
			Result{Counts: Counts{Allocs: 2, Frees: 1, Failures: 1, PeakLive: 8, FirstFailure: "limit reached", FailedEvent: 1}, PeakReserved: 8, DriverCalls: 1}},
		{"items", &fakePool{limit: 1000, item: 16}, trace([2]uint64{0, 16}, [2]uint64{1, 17}, [2]uint64{1, 0}, [2]uint64{0, 0}, [2]uint64{0, 1}),
			Result{Counts: Counts{Allocs: 2, Frees: 1, Failures: 1, PeakLive: 16, FirstFailure: "larger than one block of the pool", FailedEvent: 1}, PeakReserved: 16, DriverCalls: 1}},
	} {
		got, err := through(t, test.pool.described(nil), usual, test.tape)
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %+v, %v; want %+v", test.name, got, err, test.want)
		}
	}
}

func TestReservedBytesMayVary(t *testing.T) {
	extra := 6
	pool := (&fakePool{limit: 8}).described(func(p *fakePool) { extra--; p.peak = extra + 3 })
	got, err := through(t, pool, usual, trace([2]uint64{0, 1}))
	if want := (Result{Counts: Counts{Allocs: 1, PeakLive: 1}, PeakReserved: 8, Varied: true, DriverCalls: 1}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

func TestRunsMustAgree(t *testing.T) {
	limit := 9
	shrinking := func(p *fakePool) { limit--; p.limit = limit }
	two := trace([2]uint64{0, 8})
	if _, err := through(t, (&fakePool{}).described(shrinking), usual, two); err == nil || !strings.Contains(err.Error(), "differ") {
		t.Errorf("got %v", err)
	}
	limit = 9
	two.Streams = 2
	if res, err := through(t, (&fakePool{}).described(shrinking), usual, two); err != nil || !res.Varied {
		t.Errorf("with streams: %+v, %v", res, err)
	}
}

func TestPoolThatCannotBeHad(t *testing.T) {
	reason := errors.New("no driver here")
	pool := Pool{Item: 1, Open: func(Setup) (Instance, error) { return Instance{}, errors.Join(errors.New("pool P"), reason) }}
	if got, err := through(t, pool, usual, trace([2]uint64{0, 1})); err != nil || got.Skipped != reason.Error() {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestCurve(t *testing.T) {
	tape := trace([2]uint64{0, 40}, [2]uint64{1, 8}, [2]uint64{0, 0}, [2]uint64{1, 0}, [2]uint64{0, 16})
	o := usual
	o.Columns = 2
	for gives, want := range map[bool][]int64{true: {48, 48}, false: {48, 48}} {
		got, err := through(t, (&fakePool{limit: 100, gives: gives}).described(nil), o, tape)
		if err != nil || !slices.Equal(got.Reserved, want) {
			t.Errorf("gives back %v: got %v, %v; want %v", gives, got.Reserved, err, want)
		}
	}
	o.Columns = 5
	got, err := through(t, (&fakePool{limit: 100, gives: true}).described(nil), o, tape)
	if want := []int64{40, 48, 48, 8, 16}; err != nil || !slices.Equal(got.Reserved, want) {
		t.Errorf("got %v, %v; want %v", got.Reserved, err, want)
	}
	if live, want := tape.Live(5), []int64{40, 48, 48, 8, 16}; !slices.Equal(live, want) {
		t.Errorf("live %v, want %v", live, want)
	}
}

func TestColumns(t *testing.T) {
	tape := trace([2]uint64{0, 1}, [2]uint64{1, 1}, [2]uint64{2, 1}, [2]uint64{3, 1})
	for _, test := range []struct {
		times []uint64
		want  []int
	}{
		{[]uint64{7, 7, 7, 7}, []int{0, 2, 4}},
		{[]uint64{10, 11, 12, 20}, []int{0, 3, 4}},
		{[]uint64{10, 19, 19, 20}, []int{0, 1, 4}},
	} {
		tape.Times = test.times
		if got := tape.Columns(2); !slices.Equal(got, test.want) {
			t.Errorf("%v: got %v, want %v", test.times, got, test.want)
		}
	}
}

// handOver is a trace of blocks that one stream allocates and the other frees, in two slots.
func handOver(n int) *Tape {
	var events []event
	for i := range n {
		events = append(events, event{slot: i % 2, stream: 0, bytes: 4}, event{slot: i % 2, stream: 1})
	}
	return tapeOf(events...)
}

func TestGoroutines(t *testing.T) {
	o := Options{Runs: 3, Goroutines: 2}
	got, err := through(t, (&fakePool{limit: 1 << 20}).described(nil), o, handOver(1000))
	if err != nil || got.Allocs != 1000 || got.Frees != 1000 || got.Failures != 0 || got.PeakLive < 4 {
		t.Errorf("got %+v, %v", got, err)
	}
	// Some allocations fail, and no goroutine waits for a block that does not exist.
	got, err = through(t, (&fakePool{limit: 4}).described(nil), o, handOver(1000))
	if err != nil || got.Allocs+got.Failures != 1000 || got.Frees != got.Allocs {
		t.Errorf("at a limit: got %+v, %v", got, err)
	}
}

// If a goroutine gives up, the others end, too.
func TestGoroutineFails(t *testing.T) {
	pool := (&fakePool{limit: 1 << 20}).described(nil)
	open := pool.Open
	pool.Open = func(s Setup) (Instance, error) {
		p, err := open(s)
		play := p.Play
		p.Play = func(part *Part) error {
			if len(part.Events) > 0 && !part.Events[0].Free {
				return part.Refused(0, errLimit)
			}
			return play(part)
		}
		return p, err
	}
	if _, err := through(t, pool, Options{Runs: 1, Goroutines: 2}, handOver(10)); err == nil || !strings.Contains(err.Error(), "event 0: the pool refused") {
		t.Errorf("got %v", err)
	}
}

func TestDeal(t *testing.T) {
	tape := handOver(3)
	tape.Codes, tape.Sizes, tape.On = append(tape.Codes, 0), append(tape.Sizes, 4), append(tape.On, 0)
	pool := &Pool{Item: 4}
	parts, slots := tape.deal(pool, 2)
	want := [][]Event{
		{{Items: 1, Slot: 0, Shared: true}, {Items: 1, Slot: 1, Shared: true}, {Items: 1, Slot: 2, Shared: true}, {Items: 1, Slot: 3}},
		{{Slot: 0, Stream: 1, Free: true, Shared: true}, {Slot: 1, Stream: 1, Free: true, Shared: true}, {Slot: 2, Stream: 1, Free: true, Shared: true}},
	}
	if slots != 4 || !reflect.DeepEqual(parts[0].Events, want[0]) || !reflect.DeepEqual(parts[1].Events, want[1]) || !slices.Equal(parts[1].numbers, []int{1, 3, 5}) {
		t.Errorf("by streams: %d slots, %+v, %+v", slots, parts[0], parts[1])
	}
	parts, slots = tape.deal(pool, 3) // by blocks: each is freed where it was allocated
	for i, p := range parts {
		for _, e := range p.Events {
			if e.Shared || int(e.Slot)%3 != i {
				t.Errorf("by blocks: %+v in part %d", e, i)
			}
		}
	}
	if slots != 4 || len(parts[0].Events) != 3 {
		t.Errorf("by blocks: %d slots, %+v", slots, parts[0])
	}
}

// fakeWork counts what is queued, and refuses what is queued on the stream with an index.
type fakeWork struct {
	queued []int
	ticks  int
	refuse int
}

func (w *fakeWork) Queue(stream int) error {
	if stream == w.refuse {
		return errLimit
	}
	w.queued = append(w.queued, stream)
	return nil
}

func (w *fakeWork) Tick() { w.ticks++ }

// busyPool is a pool of so many bytes whose streams can be kept busy.
func busyPool(limit int, w *fakeWork) Pool {
	pool := (&fakePool{limit: limit}).described(nil)
	open := pool.Open
	pool.Open = func(s Setup) (Instance, error) {
		p, err := open(s)
		p.Busy = func(events int) (Work, error) {
			if events > 9 {
				return nil, errLimit
			}
			return w, nil
		}
		return p, err
	}
	return pool
}

// Before each free, work is queued on its stream; each event is counted; and failures have their numbers.
func TestBusy(t *testing.T) {
	tape := tapeOf(event{0, 0, 4}, event{1, 1, 8}, event{0, 1, 0}, event{1, 0, 8}, event{1, 2, 0})
	work := &fakeWork{refuse: -1}
	got, err := through(t, busyPool(8, work), Options{Runs: 1, Goroutines: 1, Busy: 3}, tape)
	want := Counts{Allocs: 2, Frees: 2, Failures: 1, PeakLive: 8, FirstFailure: "limit reached", FailedEvent: 1}
	if err != nil || got.Counts != want || !slices.Equal(work.queued, []int{1, 2}) || work.ticks != 5 {
		t.Errorf("%+v, %v; queued on %v, %d ticks", got.Counts, err, work.queued, work.ticks)
	}
	work = &fakeWork{refuse: 2}
	for _, o := range []Options{{Runs: 1, Goroutines: 1, Busy: 3}, {Runs: 1, Goroutines: 1, Busy: 10}} {
		if got, err := through(t, busyPool(8, work), o, tape); err == nil || !strings.Contains(err.Error(), errLimit.Error()) {
			t.Errorf("%+v: %+v, %v", o, got, err)
		}
	}
}
