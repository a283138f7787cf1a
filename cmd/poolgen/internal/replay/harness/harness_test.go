package harness

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakePool stands for a generated pool: it serves requests up to a limit from the Go heap.
type fakePool struct{ live, peak, limit int }

var errLimit = errors.New("limit reached")

func (p *fakePool) take(n int) error {
	if p.live+n > p.limit {
		return errLimit
	}
	p.live += n
	p.peak = max(p.peak, p.live)
	return nil
}

func (p *fakePool) AllocSpan(n int) ([]uint32, error) {
	if err := p.take(4 * n); err != nil {
		return nil, err
	}
	return make([]uint32, n), nil
}

func (p *fakePool) FreeSpan(b []uint32) error { return p.take(-4 * len(b)) }

func (p *fakePool) AllocItem() (*[16]byte, error) {
	if err := p.take(16); err != nil {
		return nil, err
	}
	return new([16]byte), nil
}

func (p *fakePool) FreeItem(*[16]byte) error { return p.take(-16) }

// spanLoop and itemLoop are what the replay command writes for each pool.
func spanLoop(limit int) Loop {
	return func(tape *Tape) (Result, error) {
		pool := &fakePool{limit: limit}
		blocks := SpanBlocks(tape, pool.AllocSpan)
		run := Start(tape)
		for i, e := range tape.Events {
			if !e.Free {
				if b, err := pool.AllocSpan(e.Items); err == nil {
					blocks[e.Slot] = b
				} else {
					run.Fail(i, err)
				}
			} else if b := blocks[e.Slot]; b != nil {
				if err := pool.FreeSpan(b); err != nil {
					return run.Refuse(i, err)
				}
				blocks[e.Slot] = nil
			}
		}
		run.Stop()
		return run.Result(int64(pool.peak)), nil
	}
}

func itemLoop(tape *Tape) (Result, error) {
	pool := &fakePool{limit: 1000}
	blocks := ItemBlocks(tape, pool.AllocItem)
	run := Start(tape)
	for i, e := range tape.Events {
		if e.Items > 0 {
			if b, err := pool.AllocItem(); err == nil {
				blocks[e.Slot] = b
			} else {
				run.Fail(i, err)
			}
		} else if !e.Free {
			run.Fail(i, nil)
		} else if b := blocks[e.Slot]; b != nil {
			if err := pool.FreeItem(b); err != nil {
				return run.Refuse(i, err)
			}
			blocks[e.Slot] = nil
		}
	}
	run.Stop()
	return run.Result(int64(pool.peak)), nil
}

// run encodes a trace of (slot, bytes) pairs, bytes 0 for a free, and runs it.
func run(t *testing.T, loop Loop, slots int, trace ...[2]uint64) (Result, error) {
	t.Helper()
	var codes []uint32
	var sizes []uint64
	for _, e := range trace {
		code := uint32(e[0]) << 1
		if e[1] == 0 {
			code++
		}
		codes, sizes = append(codes, code), append(sizes, e[1])
	}
	dir := t.TempDir()
	tape, out := filepath.Join(dir, "tape"), filepath.Join(dir, "out")
	if err := os.WriteFile(tape, Encode(slots, codes, sizes), 0o644); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	if Main(map[string]Loop{"P": loop}, []string{"P", tape, out}, &stderr) != 0 {
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
	if res.NSPerOp <= 0 {
		t.Error("no time passed")
	}
	res.NSPerOp = 0
	return res, nil
}

func TestSpans(t *testing.T) {
	got, err := run(t, spanLoop(1000), 2, [2]uint64{0, 10}, [2]uint64{1, 1}, [2]uint64{0, 0}, [2]uint64{0, 5}, [2]uint64{1, 0})
	want := Result{Allocs: 3, Frees: 2, PeakLive: 11, PeakReserved: 16}
	if err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

func TestFailuresAreCountedAndTheirFreesSkipped(t *testing.T) {
	got, err := run(t, spanLoop(12), 2, [2]uint64{0, 8}, [2]uint64{1, 8}, [2]uint64{1, 0}, [2]uint64{0, 0}, [2]uint64{1, 8})
	want := Result{Allocs: 2, Frees: 1, Failures: 1, PeakLive: 8, PeakReserved: 8, FirstFailure: "limit reached", FailedEvent: 1}
	if err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

func TestItems(t *testing.T) {
	got, err := run(t, itemLoop, 2, [2]uint64{0, 16}, [2]uint64{1, 17}, [2]uint64{1, 0}, [2]uint64{0, 0}, [2]uint64{0, 1})
	want := Result{Allocs: 2, Frees: 1, Failures: 1, PeakLive: 16, PeakReserved: 16, FirstFailure: "larger than one block of the pool", FailedEvent: 1}
	if err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

func TestReservedBytesMayVary(t *testing.T) {
	limit := 6
	got, err := run(t, func(tape *Tape) (Result, error) {
		limit--
		res, err := spanLoop(8)(tape)
		res.PeakReserved += int64(limit)
		return res, err
	}, 1, [2]uint64{0, 8})
	if want := (Result{Allocs: 1, PeakLive: 8, PeakReserved: 13, Varied: true}); err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

func TestRunsMustAgree(t *testing.T) {
	limit := 8
	_, err := run(t, func(tape *Tape) (Result, error) { limit--; return spanLoop(limit)(tape) }, 1, [2]uint64{0, 8})
	if err != nil {
		t.Errorf("the same counts are refused: %v", err)
	}
	limit = 9
	_, err = run(t, func(tape *Tape) (Result, error) { limit--; return spanLoop(limit)(tape) }, 1, [2]uint64{0, 8})
	if err == nil || !strings.Contains(err.Error(), "differ") {
		t.Errorf("got %v", err)
	}
}
