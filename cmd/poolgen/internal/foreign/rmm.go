package foreign

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// maxLine is the most bytes that a line of a log may have.
const maxLine = 4096

// The columns of a log, by name, as RMM's logging_resource_adaptor writes them. Thread came with version 0.15.
const (
	columnThread = iota
	columnTime
	columnAction
	columnPointer
	columnSize
	columnStream
	columns
)

var columnNames = [columns]string{"Thread", "Time", "Action", "Pointer", "Size", "Stream"}

// header finds the columns in the first line, and reports whether all required ones are there.
func header(line string) (at [columns]int, ok bool) {
	fields := strings.Split(strings.TrimRight(line, "\r"), ",")
	ok = true
	for c, name := range columnNames {
		at[c] = -1
		for i, field := range fields {
			if strings.TrimSpace(field) == name {
				at[c] = i
			}
		}
		ok = ok && (at[c] >= 0 || c == columnThread)
	}
	return at, ok
}

func isRMM(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	_, ok := header(string(line))
	return ok
}

// rmm is the state of reading a log.
type rmm struct {
	*ledger
	at    [columns]int
	line  int
	day   uint64 // microseconds up to midnight
	clock uint64 // time of day of the last event
}

// readRMM reads a log.
func readRMM(name string, in *bufio.Reader, most int) ([]Log, error) {
	r := rmm{ledger: newLedger(most)}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		r.line++
		text := strings.TrimPrefix(lines.Text(), "\ufeff")
		switch {
		case r.line == 1:
			r.at, _ = header(text)
		case strings.TrimSpace(text) == "":
		default:
			if err := r.event(text); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, r.line, err)
			}
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("%s:%d: line longer than %d bytes", name, r.line+1, maxLine)
	case err != nil:
		return nil, fmt.Errorf("%s:%d: %w", name, r.line+1, err)
	case len(r.events) == 0:
		return nil, fmt.Errorf("%s:%d: the log has no events", name, r.line)
	}
	return []Log{r.log(name)}, nil
}

func (r *rmm) event(line string) error {
	fields := strings.Split(strings.TrimRight(line, "\r"), ",")
	var text [columns]string
	for c, i := range r.at {
		if i >= len(fields) {
			return fmt.Errorf("%d fields, and no %s", len(fields), columnNames[c])
		}
		if i >= 0 {
			text[c] = strings.TrimSpace(fields[i])
		}
	}
	addr, err := hexadecimal(columnPointer, text[columnPointer])
	if err != nil {
		return err
	}
	size, err := strconv.ParseUint(text[columnSize], 10, 63)
	if err != nil {
		return fmt.Errorf("column Size: %q is not a number from 0 to %d", text[columnSize], int64(math.MaxInt64))
	}
	m := moment{line: r.line}
	if m.stream, err = stream(text[columnStream], text[columnThread]); err != nil {
		return err
	}
	if m.micros, err = r.time(text[columnTime]); err != nil {
		return err
	}
	switch action := text[columnAction]; action {
	case "allocate":
		return r.alloc(addr, size, m)
	case "free":
		return r.free(addr, size, m)
	case "allocate failure":
		r.failed++
	default:
		return fmt.Errorf(`column Action: %q is none of "allocate", "allocate failure" and "free"`, action)
	}
	return nil
}

// hexadecimal reads a pointer, which C++ libraries write in different ways.
func hexadecimal(column int, text string) (uint64, error) {
	if text == "(nil)" {
		return 0, nil
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 64)
	if err != nil {
		return 0, fmt.Errorf("column %s: %q is not a hexadecimal number", columnNames[column], text)
	}
	return n, nil
}

// perThread is the handle of the per-thread default stream.
const perThread = 2

// stream returns a number for a stream: its handle or, for the per-thread default stream, a number derived from the thread. Handles are addresses or
// small numbers, so the derived number is odd and large.
func stream(handle, thread string) (uint64, error) {
	n, err := hexadecimal(columnStream, handle)
	if err != nil || n != perThread || thread == "" {
		return n & math.MaxInt64, err
	}
	t, err := strconv.ParseUint(thread, 10, 62)
	if err != nil {
		return 0, fmt.Errorf("column Thread: %q is not a number", thread)
	}
	return t<<1 | 1, nil
}

const (
	second = 1_000_000
	minute = 60 * second
	hour   = 60 * minute
	day    = 24 * hour
	late   = minute // longer than the delay with which a thread writes its lines
)

// timeParts gives the position of each number in a time of day, 12:34:56.123456, its bound, and its unit.
var timeParts = [...]struct {
	from, to    int
	below, unit uint64
}{{0, 2, 24, hour}, {3, 5, 60, minute}, {6, 8, 60, second}, {9, 15, second, 1}}

// timeOfDay reads a time of day in microseconds. Before version 21.06 it had a colon instead of the point.
func timeOfDay(text string) (micros uint64, ok bool) {
	if len(text) != 15 || text[2] != ':' || text[5] != ':' || text[8] != '.' && text[8] != ':' {
		return 0, false
	}
	for _, c := range timeParts {
		n, err := strconv.ParseUint(text[c.from:c.to], 10, 64)
		if err != nil || n >= c.below {
			return 0, false
		}
		micros += n * c.unit
	}
	return micros, true
}

// time reads the time of an event. It continues past midnight, because the log has no date.
func (r *rmm) time(text string) (uint64, error) {
	micros, ok := timeOfDay(text)
	if !ok {
		return 0, fmt.Errorf("column Time: %q is not of the form 12:34:56.123456", text)
	}
	switch {
	case micros+day/2 < r.clock:
		r.day += day
	case r.day > 0 && r.clock < late && micros > day-late: // of another thread, which only now writes an event from before midnight
		return r.day - day + micros, nil
	}
	r.clock = micros
	return r.day + micros, nil
}
