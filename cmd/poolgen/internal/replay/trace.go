package replay

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay/harness"
	"github.com/poolgen/poolgen/internal/figure"
)

// TraceHeader is the first line of a trace that is not a comment.
const TraceHeader = "op,id,bytes,stream,time_us"

var traceFields = strings.Split(TraceHeader, ",")

// Bounds of a trace. They keep a damaged or hostile file from taking all memory; real traces are far below them.
const (
	maxEvents  = 100_000_000
	maxLine    = 4096
	maxStreams = 1 << 16
	maxPools   = 1 << 12 // that are named
)

// Trace is a recorded sequence of allocs and frees.
type Trace struct {
	harness.Tape
	Name  string   // of the file
	Pools []string // that RecordPool named, by package and name; none: all were recorded, or the file does not say
	Notes []string // what users of the trace should know
	lines []int    // line of each event
}

// Events returns the number of allocs and frees.
func (t *Trace) Events() int { return len(t.Codes) }

// Line returns the line of event i, counted from 0.
func (t *Trace) Line(i int) int { return t.lines[i] }

// readTrace reads a trace in CSV. The header line op,id,bytes,stream,time_us comes first, op is a (alloc) or f (free), and lines that start with # are
// comments. A free names an id that is live; an id may be used again once it is freed. Errors have the form
// name:line: text.
func readTrace(name string, in io.Reader) (*Trace, error) {
	reader := newTraceReader(name)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		reader.line++
		if err := reader.read(lines.Text()); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, reader.line, err)
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("%s:%d: line longer than %d bytes", name, reader.line+1, maxLine)
	case err != nil:
		return nil, fmt.Errorf("%s:%d: %w", name, reader.line+1, err)
	case !reader.header:
		return nil, fmt.Errorf("%s:%d: no header line %s", name, max(reader.line, 1), TraceHeader)
	case reader.trace.Events() == 0:
		return nil, fmt.Errorf("%s:%d: the trace has no events%s", name, reader.line, reader.trace.onlyOf())
	}
	return reader.trace, nil
}

// onlyOf names the pools that were recorded, for the error about a trace without events.
func (t *Trace) onlyOf() string {
	if len(t.Pools) == 0 {
		return ""
	}
	names := figure.Cut(figure.Plain(strings.Join(t.Pools, " and ")), mostNames)
	return fmt.Sprintf(": what was recorded is %s alone, by RecordPool; is that the name in the program's Pools()?", names)
}

// mostNames is how many characters of names an error shows.
const mostNames = 1000

// poolComment begins a comment before the header line that names a pool, quoted.
const poolComment = "# pool "

// traceReader turns lines into events.
type traceReader struct {
	trace  *Trace
	line   int
	header bool
	live   map[uint64]block // by id
	free   []uint32         // slots that may be used again, the last first

	streams map[uint64]uint16 // their numbers on the tape
}

func newTraceReader(name string) *traceReader {
	return &traceReader{trace: &Trace{Name: name}, live: map[uint64]block{}, streams: map[uint64]uint16{}}
}

// expect makes room for n events.
func (r *traceReader) expect(events int) {
	t := r.trace
	t.Codes, t.On = make([]uint32, 0, events), make([]uint16, 0, events)
	t.Sizes, t.Times, t.lines = make([]uint64, 0, events), make([]uint64, 0, events), make([]int, 0, events)
}

// block is a live block of the trace.
type block struct {
	slot  uint32
	line  int
	bytes uint64
}

func (r *traceReader) read(line string) error {
	if r.line == 1 {
		line = strings.TrimPrefix(line, "\ufeff") // spreadsheets put a byte order mark there
	}
	line = strings.TrimRight(line, "\r \t")
	switch {
	case !r.header && strings.HasPrefix(line, poolComment):
		return r.pool(line[len(poolComment):])
	case line == "" || strings.HasPrefix(line, "#"):
		return nil
	case !r.header:
		if line != TraceHeader {
			return fmt.Errorf("want the header line %s, got %q", TraceHeader, line)
		}
		r.header = true
		return nil
	case r.trace.Events() >= maxEvents:
		return fmt.Errorf("more than %d events", maxEvents)
	}
	return r.event(line)
}

// pool notes the name of a pool that was recorded. A comment without a quoted name is an ordinary comment.
func (r *traceReader) pool(quoted string) error {
	name, err := strconv.Unquote(quoted)
	if err != nil {
		return nil
	}
	if len(r.trace.Pools) == maxPools {
		return fmt.Errorf("more than %d pools", maxPools)
	}
	r.trace.Pools = append(r.trace.Pools, name)
	return nil
}

func (r *traceReader) event(line string) error {
	var fields [5]string
	n := 0
	for field := range strings.SplitSeq(line, ",") {
		if n < len(fields) {
			fields[n] = field
		}
		n++
	}
	if n != len(fields) {
		return fmt.Errorf("want the %d fields %s, got %d", len(fields), TraceHeader, n)
	}
	var numbers [5]uint64
	for i, name := range traceFields {
		if i == 0 || name == "bytes" && fields[0] == "f" && fields[i] == "" {
			continue
		}
		v, err := strconv.ParseUint(fields[i], 10, 63)
		if err != nil {
			return fmt.Errorf("%s %q is not a number from 0 to %d", name, fields[i], int64(math.MaxInt64))
		}
		numbers[i] = v
	}
	var err error
	switch fields[0] {
	case "a":
		err = r.alloc(numbers[1], numbers[2])
	case "f":
		err = r.release(numbers[1], numbers[2])
	default:
		err = fmt.Errorf("op %q is neither a (alloc) nor f (free)", fields[0])
	}
	if err != nil {
		return err
	}
	return r.place(numbers[3], numbers[4])
}

// place notes where and when an event happened. Clocks of several threads may differ a little; the time of the trace does not go back.
func (r *traceReader) place(stream, micros uint64) error {
	t := r.trace
	number, known := r.streams[stream]
	if !known {
		if t.Streams == maxStreams {
			return fmt.Errorf("more than %d streams", maxStreams)
		}
		number = uint16(t.Streams)
		r.streams[stream] = number
		t.Streams++
	}
	if n := len(t.Times); n > 0 {
		micros = max(micros, t.Times[n-1])
	}
	t.On, t.Times = append(t.On, number), append(t.Times, micros)
	return nil
}

func (r *traceReader) alloc(id, size uint64) error {
	if size == 0 {
		return fmt.Errorf("alloc of 0 bytes")
	}
	if b, ok := r.live[id]; ok {
		return fmt.Errorf("id %d is live already, since line %d", id, b.line)
	}
	slot := uint32(r.trace.Slots)
	if k := len(r.free); k > 0 {
		slot = r.free[k-1]
		r.free = r.free[:k-1]
	} else {
		r.trace.Slots++
	}
	r.live[id] = block{slot, r.line, size}
	r.add(slot<<1, size)
	return nil
}

// release frees a block. Recorders that no longer know its size write 0, or nothing.
func (r *traceReader) release(id, size uint64) error {
	b, ok := r.live[id]
	if !ok {
		return fmt.Errorf("free of id %d, which is not live", id)
	}
	if size != 0 && size != b.bytes {
		return fmt.Errorf("free of id %d with %d bytes, but line %d allocated %d", id, size, b.line, b.bytes)
	}
	delete(r.live, id)
	r.free = append(r.free, b.slot)
	r.add(b.slot<<1|1, 0)
	return nil
}

func (r *traceReader) add(code uint32, size uint64) {
	r.trace.Codes = append(r.trace.Codes, code)
	r.trace.Sizes = append(r.trace.Sizes, size)
	r.trace.lines = append(r.trace.lines, r.line)
}
