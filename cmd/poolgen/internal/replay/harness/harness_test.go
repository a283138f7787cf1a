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
	"sync"
	"testing"
	"time"
)

// fakePool stands for a generated pool: it serves requests up to a limit, and checks that each block is live once.
type fakePool struct {
	mu         sync.Mutex
	live, peak int
	limit      int
	item       int // bytes; 0: a span, of items of 4 bytes
	sizes      []int
	gives      bool // memory back at once
	reserved   int
	watch      func(int64)
	calls      int
}

var errLimit = errors.New("limit reached")

func (p *fakePool) take(n int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live+n > p.limit {
		return errLimit
	}
	p.live += n
	p.peak = max(p.peak, p.live)
	if p.live > p.reserved || p.gives && p.live < p.reserved {
		p.reserved = p.live
		p.calls++
		if p.watch != nil {
			p.watch(int64(p.reserved))
		}
	}
	return nil
}

func (p *fakePool) Calls() int64        { return int64(p.calls) }
func (p *fakePool) Time() time.Duration { return time.Duration(p.calls) }

// play is the loop that the replay command writes for each pool.
func (p *fakePool) play(part *Part) error {
	for i, e := range part.Events {
		if e.Free {
			if e.Shared {
				part.Await(e.Slot)
			}
			n := p.sizes[e.Slot]
			if n == 0 {
				continue
			}
			if err := p.take(-n); err != nil {
				return part.Refused(i, err)
			}
			p.sizes[e.Slot] = 0
			continue
		}
		n := max(4*e.Items, p.item)
		if e.Items == 0 {
			part.Fail(i, nil)
		} else if err := p.take(n); err != nil {
			part.Fail(i, err)
		} else if p.sizes[e.Slot] != 0 {
			return errors.New("two blocks in one slot")
		} else {
			p.sizes[e.Slot] = n
		}
		if e.Shared {
			part.Publish(e.Slot)
		}
	}
	return nil
}

// described is the pool as the adapter describes it. change may change each new one.
func (p *fakePool) described(change func(*fakePool)) Pool {
	pool := Pool{Item: 4}
	if p.item > 0 {
		pool.Item, pool.Single = uint64(p.item), true
	}
	pool.Open = func(s Setup) (Instance, error) {
		q := &fakePool{limit: p.limit, item: p.item, gives: p.gives, sizes: make([]int, s.Slots)}
		if s.Slots > 0 && change != nil { // not the one that is only tried
			change(q)
		}
		return Instance{
			Play:      q.play,
			Stats:     func() Stats { return Stats{int64(q.reserved), int64(q.peak), int64(q.peak)} },
			Meter:     q,
			Watch:     func(f func(int64)) func() { q.watch = f; return func() { q.watch = nil } },
			Effective: func() (string, string) { return "host", "" },
			Close:     func() error { return nil },
		}, nil
	}
	return pool
}

// event is one of a trace: bytes 0 for a free.
type event struct {
	slot, stream int
	bytes        uint64
}

func tapeOf(events ...event) *Tape {
	tape := &Tape{}
	for i, e := range events {
		code := uint32(e.slot) << 1
		if e.bytes == 0 {
			code++
		}
		tape.Codes, tape.Sizes = append(tape.Codes, code), append(tape.Sizes, e.bytes)
		tape.On, tape.Times = append(tape.On, uint16(e.stream)), append(tape.Times, uint64(i))
		tape.Slots, tape.Streams = max(tape.Slots, e.slot+1), max(tape.Streams, e.stream+1)
	}
	return tape
}

// trace is events of one stream, as pairs of slot and bytes.
func trace(pairs ...[2]uint64) *Tape {
	var events []event
	for _, p := range pairs {
		events = append(events, event{slot: int(p[0]), bytes: p[1]})
	}
	return tapeOf(events...)
}

// through writes the tape to a file and runs it as the replay command does.
func through(t *testing.T, pool Pool, o Options, tape *Tape) (Result, error) {
	t.Helper()
	dir := t.TempDir()
	file, out := filepath.Join(dir, "tape"), filepath.Join(dir, "out")
	if err := os.WriteFile(file, tape.Encode(), 0o644); err != nil {
		t.Fatal(err)
	}
	options, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	if Main(map[string]func() Pool{"P": func() Pool { return pool }}, NoDriver, []string{"P", file, string(options), out}, &stderr) != 0 {
		return Result{}, errors.New(stderr.String())
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var res Result
	if err := json.Unmarshal(data, &res); err != nil {
		t.Fatal(err)
	}
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

// handOver is blocks that one stream allocates and the other frees, through two slots.
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
	// Some fail, and nobody waits for a block that there is not.
	got, err = through(t, (&fakePool{limit: 4}).described(nil), o, handOver(1000))
	if err != nil || got.Allocs+got.Failures != 1000 || got.Frees != got.Allocs {
		t.Errorf("at a limit: got %+v, %v", got, err)
	}
}

// A goroutine that gives up takes the others with it.
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
