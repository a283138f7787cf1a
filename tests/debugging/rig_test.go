package debugging

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/debugging/pools"
)

// size is the length of a block in the tests.
const size = 40

// subject is a pool of any form.
type subject struct {
	poolrt.Watched
	name  string
	alloc func() ([]byte, error)
	free  func([]byte) error
	close func() error
}

// itemPool and spanPool are the two forms of a pool.
type itemPool interface {
	poolrt.Watched
	Alloc() (*[size]byte, error)
	Free(*[size]byte) error
	Close() error
}

type spanPool interface {
	poolrt.Watched
	Alloc(n int) ([]byte, error)
	Free([]byte) error
	Close() error
}

func items(name string, p itemPool) subject {
	return subject{p, name, func() ([]byte, error) {
		r, err := p.Alloc()
		if err != nil {
			return nil, err
		}
		return r[:], nil
	}, func(b []byte) error { return p.Free((*[size]byte)(unsafe.Pointer(unsafe.SliceData(b)))) }, p.Close}
}

func spans(name string, p spanPool) subject {
	return subject{p, name, func() ([]byte, error) { return p.Alloc(size) }, p.Free, p.Close}
}

// subjects are new pools whose blocks are freed one by one.
func subjects() []subject {
	return []subject{
		items("none", new(pools.AlonePool)), items("mutex", new(pools.ItemPool)), items("sharded", new(pools.StrictPool)),
		items("zeroed", new(pools.ZeroedPool)),
		spans("heap none", new(pools.SinglePool)), spans("heap mutex", new(pools.HeapPool)), spans("heap sharded", new(pools.ShardPool)),
		spans("binned", new(pools.BinnedPool)), spans("classes", new(pools.ClassedPool)), spans("ring", new(pools.RingPool)),
		spans("direct", new(pools.DirectPool)), spans("cleared", new(pools.ClearPool)),
	}
}

// each runs a test with each of them.
func each(t *testing.T, f func(t *testing.T, p subject)) {
	for _, p := range subjects() {
		t.Run(p.name, func(t *testing.T) { f(t, p) })
	}
}

// take returns a block.
func (p subject) take(t *testing.T) []byte {
	t.Helper()
	b, err := p.alloc()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// tells fails unless a report has all of the parts.
func tells(t *testing.T, report string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(report, part) {
			t.Errorf("the report does not tell %q:\n%s", part, report)
		}
	}
}

// recorder is a test that only takes notes.
type recorder struct{ notes []string }

func (*recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// Leaks are found with and without the tag.
func TestAssertNoLeaks(t *testing.T) {
	each(t, func(t *testing.T, p subject) {
		poolrt.AssertNoLeaks(t, p)
		b := p.take(t)
		var r recorder
		poolrt.AssertNoLeaks(&r, p)
		if len(r.notes) != 1 {
			t.Fatalf("%d notes: %q", len(r.notes), r.notes)
		}
		tells(t, r.notes[0], "1 block is live, LiveBytes 40")
		if poolrt.Debug {
			tells(t, r.notes[0], "subject.take", "rig_test.go", "ago by goroutine")
		}
		if err := p.free(b); err != nil {
			t.Fatal(err)
		}
		poolrt.AssertNoLeaks(t, p)
	})
}
