package replay

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/foreign"
)

// maxForeign bounds the events in a file of another program. Decoding them takes more memory than the trace.
const maxForeign = 1 << 25

// ReadTraces reads a file of traces, which may be compressed by gzip: a trace in CSV, a log of RMM, or a snapshot of PyTorch with a trace for each
// device. The content decides which it is. Errors begin with the name, and the line or byte.
func ReadTraces(name string, r io.Reader) ([]*Trace, error) {
	in := bufio.NewReader(r)
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unzipped, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		in = bufio.NewReader(unzipped)
	}
	logs, known, err := foreign.Read(name, in, maxForeign)
	if err != nil {
		return nil, err
	}
	if !known {
		trace, err := readTrace(name, in)
		if err != nil {
			return nil, err
		}
		return []*Trace{trace}, nil
	}
	var traces []*Trace
	for _, log := range logs {
		trace, err := traceOf(log)
		if err != nil {
			return nil, err
		}
		traces = append(traces, trace)
	}
	return traces, nil
}

// traceOf makes a trace from the log of another program.
func traceOf(log foreign.Log) (*Trace, error) {
	r := newTraceReader(log.Name)
	r.expect(len(log.Events))
	r.trace.Notes = log.Notes
	for _, e := range log.Events {
		r.line = e.Line
		do := r.alloc
		if e.Free {
			do = r.release
		}
		err := do(uint64(e.ID), e.Bytes)
		if err == nil {
			err = r.place(e.Stream, e.Micros)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", log.Name, e.Line, err)
		}
	}
	return r.trace, nil
}
