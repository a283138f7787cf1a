package cli

import (
	"context"
	"errors"
	"os"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay"
	"github.com/poolgen/poolgen/internal/figure"
)

// errNoTrace is the error of a command that lacks a trace.
var errNoTrace = errors.New("name a trace: --trace run.csv.gz, as Record of package runtime writes it with the tag pooltrace")

// readTraces reads files of traces. It notes on standard error what a trace does not show.
func (p *Process) readTraces(ctx context.Context, names []string) ([]*replay.Trace, error) {
	progress := p.progress()
	defer progress.stop()
	var traces []*replay.Trace
	for i, name := range names {
		progress.say("read %s, %d of %d%v", name, i+1, len(names), figure.Left{Done: i, All: len(names)})
		read, err := readFile(ctx, p.path(name), func(f *os.File) ([]*replay.Trace, error) { return replay.ReadTraces(name, f) })
		if err != nil {
			return nil, err
		}
		for _, trace := range read {
			for _, note := range trace.Notes {
				p.note("%s", note)
			}
		}
		traces = append(traces, read...)
	}
	return traces, nil
}
