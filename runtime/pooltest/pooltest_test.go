package pooltest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// fake is a pool of 16 places of 64 bytes. It is correct, except for its fault.
type fake struct {
	fault  string
	memory [16 * place]byte
	used   [16]int // bytes requested; 0 if the place is free
	closed bool
	failed int
}

const place = 64

func (f *fake) alloc(n int) ([]byte, error) {
	if f.closed && f.fault != "allocates when closed" {
		return nil, poolrt.ErrClosed
	}
	at := slices.Index(f.used[:], 0)
	if f.fault == "hands a block out twice" && f.used[3] != 0 {
		at = 3
	}
	if f.fault == "leaks" && f.failed > 0 {
		at = -1
	}
	if at < 0 {
		f.failed++
		return nil, poolrt.ErrLimit
	}
	f.used[at] = n
	block := f.memory[at*place : at*place+n : at*place+n]
	switch f.fault {
	case "hands out what is too short":
		return block[1:], nil
	case "is not aligned":
		return f.memory[at*place+1 : at*place+1+n], nil
	case "writes to blocks":
		f.memory[(at+15)%16*place] ^= 1
	}
	if f.fault != "does not clear" {
		clear(block)
	}
	return block, nil
}

func (f *fake) find(block []byte) int {
	for at := range f.used {
		if len(block) > 0 && &block[0] == &f.memory[at*place] {
			return at
		}
	}
	return -1
}

func (f *fake) free(block []byte) error {
	at := f.find(block)
	switch {
	case at < 0 && f.fault == "frees what is foreign":
		return nil
	case at < 0:
		return poolrt.ErrForeign
	case f.used[at] == 0 && f.fault == "frees twice":
		return nil
	case f.used[at] == 0:
		return poolrt.ErrDoubleFree
	case f.fault == "refuses a free" && at == 5:
		return poolrt.ErrForeign
	}
	if f.fault != "forgets frees" {
		f.used[at] = 0
	}
	return nil
}

func (f *fake) Stats() (s poolrt.Stats) {
	for _, n := range f.used {
		s.LiveBytes += int64(n)
		if n > 0 {
			s.Live++
		}
	}
	s.Limit, s.Reserved, s.PeakReserved, s.LargestFree = int64(len(f.memory)), int64(len(f.memory)), int64(len(f.memory)), place
	if f.fault == "reserves beyond its limit" {
		s.Limit--
	}
	if f.fault == "miscounts" {
		s.LiveBytes++
	}
	return s
}

func (f *fake) Close() error {
	if f.Stats().Live > 0 && f.fault != "closes with live blocks" {
		return poolrt.ErrLive
	}
	f.closed = true
	return nil
}

func (f *fake) Trim(int64) (int64, error)   { return 0, nil }
func (f *fake) Poll() int                   { return 0 }
func (f *fake) SetLimit(int64) error        { return nil }
func (f *fake) Effective() (string, string) { return "host", "" }
func (f *fake) CloseForce() error           { f.closed = true; return nil }

// described describes the pool as a generated test would.
func (f *fake) described() *Pool[[]byte] {
	return &Pool[[]byte]{
		Traits: Traits{ItemBytes: 1, Most: place, Align: 1, Room: 1 << 20, Zeroed: true},
		Whole:  f, Alloc: f.alloc, Free: f.free, Memory: SpanMemory[byte],
		TryAlloc: func(n int) ([]byte, bool) { b, err := f.alloc(n); return b, err == nil },
		AllocContext: func(_ context.Context, n int) ([]byte, error) {
			return f.alloc(n)
		},
		Extent: func(b []byte) Extent {
			e := MemoryExtent(b)
			e.Start -= MemoryExtent(f.memory[:]).Start
			return e
		},
	}
}

// smoked runs the steps of the smoke test on pools with a fault.
func smoked(fault string) error {
	var errs []error
	for _, s := range steps[[]byte]() {
		p := (&fake{fault: fault}).described()
		if fault == "is not aligned" {
			p.Align = place
		}
		if s.applies(p) {
			errs = append(errs, s.run(&model[[]byte]{Pool: p}, (&fake{}).described))
		}
	}
	return errors.Join(errs...)
}

// fuzzed plays the seeds of the fuzz target on pools with a fault.
func fuzzed(fault string) error {
	var errs []error
	for _, seed := range seeds() {
		p := (&fake{fault: fault}).described()
		if fault == "is not aligned" {
			p.Align = place
		}
		errs = append(errs, (&model[[]byte]{Pool: p}).play(seed))
	}
	return errors.Join(errs...)
}

// bump is a pool of a kilobyte whose blocks are freed all at once. It is correct, except for its fault.
type bump struct {
	fake
	taken int
}

func (b *bump) alloc(n int) ([]byte, error) {
	if b.closed {
		return nil, poolrt.ErrClosed
	}
	if b.taken+n > len(b.memory) {
		return nil, poolrt.ErrLimit
	}
	b.taken += n
	return b.memory[b.taken-n : b.taken : b.taken], nil
}

func (b *bump) reset() error {
	if b.fault != "does not reset" {
		b.taken = 0
	}
	return nil
}

func (b *bump) mark() func() error {
	at := b.taken
	return func() error {
		switch b.fault {
		case "does not release":
		case "releases too much":
			b.taken = 0
		default:
			b.taken = at
		}
		return nil
	}
}

// TestFaultsOfBump: the smoke test finds faults of pools whose blocks are freed all at once.
func TestFaultsOfBump(t *testing.T) {
	for fault, want := range map[string]string{
		"": "", "does not reset": "were taken back", "does not release": "were taken back", "releases too much": "overlaps",
	} {
		var errs []error
		for _, s := range steps[[]byte]() {
			b := &bump{fake: fake{fault: fault}}
			p := b.described()
			p.Zeroed, p.Alloc, p.Free, p.Reset, p.Mark = false, b.alloc, nil, b.reset, b.mark
			if s.applies(p) {
				errs = append(errs, s.run(&model[[]byte]{Pool: p}, (&bump{}).described))
			}
		}
		if err := errors.Join(errs...); (err == nil) != (want == "") || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("a pool that %q: got %v, want %q", fault, err, want)
		}
	}
}

// TestBothCallsAreMade: the step limit finds a fault of Alloc alone and one of AllocContext alone, in a pool that waits.
func TestBothCallsAreMade(t *testing.T) {
	for call, broken := range map[string]func(p *Pool[[]byte]){
		"Alloc": func(p *Pool[[]byte]) { alloc := p.Alloc; p.Alloc = short(alloc) },
		"AllocContext": func(p *Pool[[]byte]) {
			p.AllocContext = func(_ context.Context, n int) ([]byte, error) { b, err := p.Alloc(n); return b[1:], err }
		},
	} {
		p := (&fake{}).described()
		p.Waits = true
		broken(p)
		if err := (&model[[]byte]{Pool: p}).limit((&fake{}).described); err == nil {
			t.Errorf("%s is never called", call)
		}
	}
}

// short returns a call whose blocks are too short, except the first one.
func short(alloc func(n int) ([]byte, error)) func(n int) ([]byte, error) {
	calls := 0
	return func(n int) ([]byte, error) {
		block, err := alloc(n)
		if calls++; calls > 1 && err == nil {
			block = block[1:]
		}
		return block, err
	}
}

// TestFaults: the smoke test and the seeds of the fuzz target find each fault, and nothing in a correct pool.
func TestFaults(t *testing.T) {
	for _, test := range []struct{ fault, smoke, fuzz string }{
		{"", "", ""},
		{"hands a block out twice", "overlaps", "overlaps"},
		{"leaks", "there is no block after all were freed", ""},
		{"hands out what is too short", "a block of 1 bytes has 0", "bytes has"},
		{"is not aligned", "is not aligned", "is not aligned"},
		{"writes to blocks", "has changed", "has changed"},
		{"does not clear", "is not zero", "is not zero"},
		{"frees what is foreign", "free of no block", ""},
		{"frees twice", "second free", "second free"},
		{"refuses a free", "free: ", "free: "},
		{"forgets frees", "blocks of 0 bytes are live", "are live"},
		{"reserves beyond its limit", "not consistent", "not consistent"},
		{"miscounts", "are live, but Stats says", "are live, but Stats says"},
		{"closes with live blocks", "close with a live block", ""},
		{"allocates when closed", "alloc from a closed pool", "alloc from a closed pool"},
	} {
		for way, try := range map[string]struct {
			run  func(string) error
			want string
		}{"smoke": {smoked, test.smoke}, "fuzz": {fuzzed, test.fuzz}} {
			err := try.run(test.fault)
			if (err == nil) != (try.want == "") || !strings.Contains(fmt.Sprint(err), try.want) {
				t.Errorf("%s, a pool that %q: got %v, want %q", way, test.fault, err, try.want)
			}
		}
	}
}

// TestSeeds: the seeds make each call.
func TestSeeds(t *testing.T) {
	made := map[int]bool{}
	for _, seed := range seeds() {
		for i := 0; i+1 < len(seed); i += 2 {
			made[int(seed[i])%len(moves[[]byte]())] = true
		}
	}
	if len(made) != len(moves[[]byte]()) {
		t.Errorf("the seeds make %d calls of %d", len(made), len(moves[[]byte]()))
	}
}
