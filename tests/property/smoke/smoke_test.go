package smoke

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/spec"
)

// slots is the number of blocks of the fake pool.
const slots = 40

type block64 [8]uint64

// fake is a pool that is correct, except for one fault.
type fake struct {
	fault  string
	memory [slots + 1]block64
	used   [slots]bool
	allocs int64
	peak   int64
	held   int64 // bytes reserved
	closed bool
}

func (p *fake) at(i int) *block64 {
	b := &p.memory[i]
	if p.fault == "misaligned" && i == 7 {
		return (*block64)(unsafe.Add(unsafe.Pointer(b), 4))
	}
	return b
}

func (p *fake) live() (n int64) {
	for _, u := range p.used {
		if u {
			n++
		}
	}
	return n
}

func (p *fake) Alloc() (*block64, error) {
	if p.closed {
		return nil, poolrt.ErrClosed
	}
	for i := range p.used {
		if p.used[i] {
			continue
		}
		p.used[i] = p.fault != "overlap" || i != 3
		p.allocs++
		p.held = int64(len(p.memory)) * 64
		p.peak = max(p.peak, p.live()*64)
		if p.fault != "dirty" {
			*p.at(i) = block64{}
		}
		if p.fault == "trample" && i == 20 {
			p.memory[2][5]++
		}
		return p.at(i), nil
	}
	if p.fault == "wrong error" {
		return nil, errors.New("full")
	}
	return nil, poolrt.ErrLimit
}

func (p *fake) Free(b *block64) error {
	for i := range p.used {
		if b == p.at(i) && p.used[i] {
			p.used[i] = false
			return nil
		}
		if b == p.at(i) && p.fault == "double free" {
			return nil
		}
	}
	if p.fault == "foreign free" && b != nil {
		return nil
	}
	return poolrt.ErrForeign
}

func (p *fake) TryAlloc() (*block64, bool) {
	b, err := p.Alloc()
	return b, err == nil
}

func (p *fake) AllocContext(ctx context.Context) (*block64, error) {
	b, err := p.Alloc()
	if err != nil && p.fault != "no wait" {
		<-ctx.Done()
		err = errors.Join(err, ctx.Err())
	}
	return b, err
}

func (p *fake) AllocBatch(dst []*block64) (n int, err error) {
	for i := range dst {
		if dst[i], err = p.Alloc(); err != nil {
			return 0, errors.Join(err, p.FreeBatch(dst[:i]))
		}
	}
	return len(dst), nil
}

func (p *fake) FreeBatch(blocks []*block64) (err error) {
	for _, b := range blocks {
		err = errors.Join(err, p.Free(b))
	}
	return err
}

func (p *fake) With(f func(*block64) error) error {
	b, err := p.Alloc()
	if err != nil {
		return err
	}
	err = f(b)
	if p.fault == "leak" {
		return err
	}
	return errors.Join(err, p.Free(b))
}

type fakeRef struct {
	pool  *fake
	block *block64
}

func (r *fakeRef) Release() error {
	if r.block == nil {
		return poolrt.ErrDoubleFree
	}
	b := r.block
	r.block = nil
	return r.pool.Free(b)
}

func (p *fake) AllocRef() (fakeRef, error) {
	b, err := p.Alloc()
	return fakeRef{p, b}, err
}

func (p *fake) Stats() poolrt.Stats {
	s := poolrt.Stats{Live: p.live(), Limit: 1 << 20, Allocs: p.allocs, Reserved: p.held, PeakReserved: p.held, PeakBytes: p.peak}
	s.LiveBytes, s.Frees = s.Live*64, s.Allocs-s.Live
	if p.held > 0 {
		s.Chunks = 1
	}
	if p.fault == "miscount" {
		s.Live++
	}
	return s
}

func (p *fake) Trim(int64) (int64, error) {
	if p.live() == 0 && p.fault != "no trim" {
		p.held = 0
	}
	return 0, nil
}

func (p *fake) Poll() int                   { return 0 }
func (p *fake) Requested() string           { return "host" }
func (p *fake) Effective() (string, string) { return "host", "" }

func (p *fake) Close() error {
	if p.live() > 0 && p.fault != "careless close" {
		return poolrt.ErrLive
	}
	p.closed = p.fault != "never closed"
	return nil
}

func (p *fake) CloseForce() error { return nil }

// recorder records the failures of a trial. Its Fatalf ends the goroutine, like Fatalf of a test.
type recorder struct {
	testing.TB
	lines []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}
func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// TestFaultsAreFound tests pools with one fault each, and one without.
func TestFaultsAreFound(t *testing.T) {
	for _, test := range []struct{ fault, want string }{
		{"", ""},
		{"misaligned", "is not aligned to 8"},
		{"overlap", "overlaps"},
		{"dirty", "is not zero"},
		{"trample", "has changed"},
		{"wrong error", "full"},
		{"double free", "got <nil>, want invalid free"},
		{"foreign free", "got <nil>, want invalid free"},
		{"no wait", "AllocContext of a full pool"},
		{"leak", "helped"},
		{"miscount", "fresh"},
		{"no trim", "empty and trimmed"},
		{"careless close", "want in use"},
		{"never closed", "want pool is closed"},
	} {
		r := &recorder{TB: t}
		done := make(chan struct{})
		go func() {
			defer close(done)
			Run(r, Spec{
				Name: "Fake", New: func() (any, error) { return &fake{fault: test.fault}, nil }, Single: true, Order: spec.AnyOrder, Locked: true, Counters: true,
				Zero: "always", Align: 8, Chunk: 4096, Largest: 4096, Limit: 1 << 20,
			})
		}()
		<-done
		got := strings.Join(r.lines, "\n")
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("fault %q: found %q, want %q", test.fault, got, test.want)
		}
	}
}
