//go:build pooltrace

package trace

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// On reports whether the program was built with the tag pooltrace.
const On = true

// recorder is the trace that is being recorded; nil without one.
var recorder atomic.Pointer[Recorder]

// Active returns the trace that is being recorded; nil without one.
func Active() *Recorder { return recorder.Load() }

// Start begins a trace, which is written to w until stop is called. known lists the names of the pools in use.
func Start(w io.Writer, what Recording, known func() []string) (stop func() error, err error) {
	what.OneIn = max(what.OneIn, 1)
	t := &Recorder{Recording: what, known: known, began: time.Now(), live: map[blockID]traced{}, streams: map[uint64]int{0: 0}}
	t.zip, _ = gzip.NewWriterLevel(w, gzip.BestSpeed) // no error: the level is valid
	t.out = bufio.NewWriterSize(t.zip, 1<<16)
	if !recorder.CompareAndSwap(nil, t) {
		return nil, ErrRecording
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.write("# recorded by poolgen, ", t.began.UTC().Format(time.RFC3339), "\n")
	for _, name := range t.Pools {
		t.write("# pool ", strconv.Quote(name), "\n")
	}
	if t.OneIn > 1 {
		t.write("# one block in ", strconv.FormatUint(t.OneIn, 10), "\n")
	}
	t.write("op,id,bytes,stream,time_us\n")
	return t.stop, nil
}

// Recorder is a trace that is being recorded.
type Recorder struct {
	Recording
	known func() []string
	began time.Time

	mu      sync.Mutex
	out     *bufio.Writer
	zip     *gzip.Writer
	err     error
	ended   bool
	line    []byte
	next    uint64 // number of the next block, in the trace or not
	live    map[blockID]traced
	seen    []string       // the named pools that have allocated since Start
	streams map[uint64]int // number of each stream in the trace, in order of first use
}

// Pool is the part of an engine that the recorder uses.
type Pool interface{ Name() string }

// blockID identifies a live block.
type blockID struct {
	pool  Pool
	place uint64
}

// traced is a block that is live in the trace.
type traced struct{ id, bytes uint64 }

// write writes text, unless an earlier write has failed.
func (t *Recorder) write(parts ...string) {
	for _, s := range parts {
		if t.err == nil {
			_, t.err = t.out.WriteString(s)
		}
	}
}

// wants reports whether a pool is recorded.
func (t *Recorder) wants(p Pool) bool {
	return len(t.Pools) == 0 || slices.Contains(t.Pools, p.Name())
}

// Alloc records an allocation. A block of the trace that is still live at the place is freed first: another goroutine has freed the block and has not called Free yet, or
// the pool has freed the block without a call of Free.
func (t *Recorder) Alloc(p Pool, place, bytes, stream uint64) {
	if !t.wants(p) || bytes == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return
	}
	id := t.next
	t.next++
	key := blockID{p, place}
	if old, ok := t.live[key]; ok {
		t.event('f', old, stream)
		delete(t.live, key)
	}
	t.found(p.Name())
	if id%t.OneIn != 0 {
		return
	}
	b := traced{id / t.OneIn, bytes}
	t.live[key] = b
	t.event('a', b, stream)
}

// found notes that a named pool is used.
func (t *Recorder) found(name string) {
	if len(t.Pools) > len(t.seen) && !slices.Contains(t.seen, name) {
		t.seen = append(t.seen, name)
	}
}

// Free records the free of a block, if the block is in the trace.
func (t *Recorder) Free(p Pool, place, bytes, stream uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := blockID{p, place}
	if b, ok := t.live[key]; ok && !t.ended && b.bytes == bytes {
		t.event('f', b, stream)
		delete(t.live, key)
	}
}

// Swept records that all blocks of a pool were freed at once.
func (t *Recorder) Swept(p Pool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return
	}
	var freed []traced
	for key, b := range t.live {
		if key.pool == p {
			freed = append(freed, b)
			delete(t.live, key)
		}
	}
	slices.SortFunc(freed, func(a, b traced) int { return cmp.Compare(a.id, b.id) })
	for _, b := range freed {
		t.event('f', b, 0)
	}
}

// event writes one line of the trace.
func (t *Recorder) event(op byte, b traced, stream uint64) {
	if t.err != nil {
		return
	}
	n, ok := t.streams[stream]
	if !ok {
		n = len(t.streams)
		t.streams[stream] = n
	}
	l := append(t.line[:0], op, ',')
	l = append(strconv.AppendUint(l, b.id, 10), ',')
	l = append(strconv.AppendUint(l, b.bytes, 10), ',')
	l = append(strconv.AppendInt(l, int64(n), 10), ',')
	l = append(strconv.AppendInt(l, time.Since(t.began).Microseconds(), 10), '\n')
	t.line = l
	_, t.err = t.out.Write(l)
}

// stop ends the trace. Live blocks stay live in it. A second call does nothing.
func (t *Recorder) stop() error {
	recorder.CompareAndSwap(t, nil)
	var known []string
	if len(t.Pools) > 0 {
		known = t.known() // without mu, as known takes locks that others hold while they wait for mu
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return nil
	}
	t.ended = true
	if err := errors.Join(t.err, t.out.Flush(), t.zip.Close()); err != nil {
		return fmt.Errorf("poolgen: the trace is not whole: %w", err)
	}
	return t.unknown(known)
}

// unknown returns an error for named pools that were not used.
func (t *Recorder) unknown(known []string) error {
	var missing []string
	for _, name := range t.Pools {
		if !slices.Contains(t.seen, name) && !slices.Contains(known, name) {
			missing = append(missing, strconv.Quote(name))
		}
	}
	if missing == nil {
		return nil
	}
	has := "it has used none"
	if len(known) > 0 {
		slices.Sort(known)
		has = "it has used " + strings.Join(slices.Compact(known), ", ")
	}
	return fmt.Errorf("poolgen: the trace has nothing of %s: the program has used no pool of that name; %s", strings.Join(missing, " and "), has)
}
