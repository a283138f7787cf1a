//go:build pooltrace

package tracing

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/pools/debugging/pools"
	"github.com/poolgen/poolgen/tests/pools/internal/forms"
)

// trace parses a recorded trace, and checks that it can be replayed.
type trace struct {
	allocs, frees, live, peak int
	comments                  []string
}

func read(t *testing.T, recorded []byte) (tr trace) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(recorded))
	fatal.If(t, err)
	text, err := io.ReadAll(z)
	fatal.If(t, err)
	live, head, last := map[uint64]int{}, false, int64(0)
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "#"):
			tr.comments = append(tr.comments, line)
			continue
		case !head:
			if head = line == "op,id,bytes,stream,time_us"; !head {
				t.Fatalf("the header is %q", line)
			}
			continue
		}
		var id uint64
		var n, stream int
		var at int64
		if _, err := fmt.Sscanf(line[2:], "%d,%d,%d,%d", &id, &n, &stream, &at); err != nil || at < last {
			t.Fatalf("%q: %v", line, err)
		}
		last = at
		switch old, known := live[id]; {
		case line[0] == 'a' && !known:
			live[id] = n
			tr.allocs++
			tr.live += n
			tr.peak = max(tr.peak, tr.live)
		case line[0] == 'f' && known && old == n:
			delete(live, id)
			tr.frees++
			tr.live -= n
		default:
			t.Fatalf("%q, while id %d has %d bytes", line, id, old)
		}
	}
	return tr
}

// start starts a recording.
func start(t *testing.T, options ...poolrt.RecordOption) (end func() trace) {
	t.Helper()
	var out bytes.Buffer
	stop, err := poolrt.Record(&out, options...)
	fatal.If(t, err)
	t.Cleanup(func() { fatal.If(t, stop()) })
	return func() trace {
		t.Helper()
		fatal.If(t, stop())
		return read(t, out.Bytes())
	}
}

// The trace has the allocations and frees of a pool, but not invalid frees, nor calls before and after the recording.
func TestRecordHasAllocationsAndFrees(t *testing.T) {
	each(t, func(t *testing.T, p forms.Pool) {
		before := p.Take(t)
		end := start(t)
		a, b := p.Take(t), p.Take(t)
		fatal.If(t, p.Free(a))
		if err := p.Free(a); !errors.Is(err, poolrt.ErrInvalidFree) {
			t.Fatalf("second free: %v", err)
		}
		fatal.If(t, p.Free(before))
		c := p.Take(t)
		fatal.If(t, p.Free(b))
		got := end()
		if got.allocs != 3 || got.frees != 2 || got.live != size || got.peak != 2*size {
			t.Errorf("%+v", got)
		}
		fatal.If(t, p.Free(c))
	})
}

// If a pool is named, only that pool is recorded. A second recording is refused while one is running.
func TestRecordOnePool(t *testing.T) {
	heap, ring := new(pools.HeapPool), new(pools.RingPool)
	end := start(t, poolrt.RecordPool("pools.Ring"))
	if _, err := poolrt.Record(io.Discard); err == nil {
		t.Error("two recordings at a time")
	}
	for range 5 {
		_, err := heap.Alloc(size)
		fatal.If(t, err)
	}
	_, err := ring.Alloc(2 * size)
	fatal.If(t, err)
	if got := end(); got.allocs != 1 || got.peak != 2*size || !strings.Contains(strings.Join(got.comments, "\n"), `pool "pools.Ring"`) {
		t.Errorf("%+v", got)
	}
	fatal.If(t, heap.CloseForce())
	fatal.If(t, ring.CloseForce())
}

// stop reports a name that no pool has, but not that of a pool that was used before, or of a pool without events.
func TestRecordNoSuchPool(t *testing.T) {
	ring := new(pools.RingPool)
	b, err := ring.Alloc(size)
	fatal.If(t, err)
	var out bytes.Buffer
	for _, c := range []struct{ name, want string }{{"pools.Ring", ""}, {"pools.Nope", `poolgen: the trace has nothing of "pools.Nope": the program has used no pool of that name; it has used `}} {
		stop, err := poolrt.Record(&out, poolrt.RecordPool(c.name))
		fatal.If(t, err)
		switch err := stop(); {
		case c.want == "":
			fatal.If(t, err)
		case err == nil || !strings.HasPrefix(err.Error(), c.want) || !strings.Contains(err.Error(), "pools.Ring"):
			t.Errorf("got %v, want %s", err, c.want)
		}
		fatal.If(t, stop())
	}
	fatal.If(t, ring.Free(b))
	fatal.If(t, ring.CloseForce())
}

// A sampled trace has both events of each sampled block.
func TestRecordOneIn(t *testing.T) {
	p := new(pools.HeapPool)
	end := start(t, poolrt.RecordOneIn(10))
	for range 1000 {
		b, err := p.Alloc(size)
		fatal.If(t, err)
		fatal.If(t, p.Free(b))
	}
	if got := end(); got.allocs != 100 || got.frees != 100 || !strings.Contains(strings.Join(got.comments, "\n"), "one block in 10") {
		t.Errorf("%+v", got)
	}
	fatal.If(t, p.CloseForce())
}

// The trace can be replayed, even if goroutines free each other's blocks; a reset frees all blocks.
func TestRecordAmongMany(t *testing.T) {
	p, frames := new(pools.ShardPool), new(pools.FramesPool)
	end := start(t)
	var all sync.WaitGroup
	handed := make(chan []byte, 64)
	const each = 3000
	for g := range 4 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 1))
			for range each {
				b, err := p.Alloc(1 + r.IntN(200))
				if err != nil {
					t.Error(err)
					return
				}
				select {
				case handed <- b:
					continue
				case other := <-handed:
					err = p.Free(other)
				}
				if err := errors.Join(err, p.Free(b)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Go(func() {
		for range 100 {
			_, err := frames.Alloc(size)
			if err != nil {
				t.Error(err)
			}
		}
		if err := frames.Reset(); err != nil {
			t.Error(err)
		}
	})
	all.Wait()
	close(handed)
	for b := range handed {
		fatal.If(t, p.Free(b))
	}
	if got := end(); got.allocs != 4*each+100 || got.frees != got.allocs || got.live != 0 {
		t.Errorf("%+v", got)
	}
	fatal.If(t, p.Close())
	fatal.If(t, frames.CloseForce())
}

// failing is a writer that fails after a number of bytes.
type failing int

func (f *failing) Write(b []byte) (int, error) {
	if *f -= failing(len(b)); *f < 0 {
		return 0, errors.New("disk full")
	}
	return len(b), nil
}

// If a write fails, the pool keeps working and stop returns the error.
func TestRecordOnAFullDisk(t *testing.T) {
	room := failing(1000)
	stop, err := poolrt.Record(&room)
	fatal.If(t, err)
	p := new(pools.HeapPool)
	for i := range 100_000 {
		b, err := p.Alloc(1 + i%999)
		fatal.If(t, err)
		fatal.If(t, p.Free(b))
	}
	if err := stop(); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("got %v", err)
	}
	fatal.If(t, stop())
	fatal.If(t, p.Close())
}
