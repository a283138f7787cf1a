package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/tune"
)

// checkShard returns an error if the flags for a part of a search contradict others.
func (o *tuneOptions) checkShard() error {
	if o.shard == "" {
		return nil
	}
	var err error
	if o.part, err = tune.ParseShard(o.shard); err != nil {
		return fmt.Errorf("--shard: %w", err)
	}
	if o.trials == "" {
		return fmt.Errorf("--shard %s has results only for a file: name one for each shard by --trials", o.shard)
	}
	for _, f := range []struct {
		set  bool
		name string
	}{{len(o.heldOut) > 0, "--held-out"}, {o.chart != "", "--chart"}, {o.format.value != textFormat, "--format"}} {
		if f.set {
			return fmt.Errorf("--shard %s measures a part of a round and prints nothing, so %s has no effect: give it to the command without --shard", o.shard, f.name)
		}
	}
	return nil
}

// sharedSearch is a search some of whose results are in files.
type sharedSearch struct {
	tune.Shared
	trials *os.File // nil: not open
}

// shared reads the results that are known, and prepares to append others.
func (p *Process) shared(ctx context.Context, o tuneOptions, bench *tune.Bench, traces []*replay.Trace) (*sharedSearch, error) {
	s := &sharedSearch{Shared: tune.Shared{Known: tune.NewKnown(traces, bench.Origin), Shard: o.part}}
	names, err := p.results(o)
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		bench.Say("read %s, %d of %d", name, i+1, len(names))
		text, err := readFile(ctx, name, func(f *os.File) ([]byte, error) { return io.ReadAll(f) })
		if err == nil {
			err = s.Known.Read(p.shown(name), text)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(names) > 0 {
		p.note("%s", s.Known)
	}
	s.Measure = func(ctx context.Context, list []tune.Candidate, turns int, done func(tune.Trial) error) ([]tune.Trial, error) {
		if done != nil && s.trials == nil { // before the work, as it might fail
			if s.trials, err = appendable(p.path(o.trials)); err != nil {
				return nil, err
			}
		}
		return bench.Measure(ctx, list, traces, turns, done)
	}
	if o.trials != "" {
		s.Record = s.record
	}
	return s, nil
}

// results lists the files of results, each once.
func (p *Process) results(o tuneOptions) (names []string, err error) {
	for _, pattern := range o.known {
		found, err := filepath.Glob(p.path(pattern))
		if err != nil {
			return nil, fmt.Errorf("--known %s: %w", pattern, err)
		}
		names = append(names, found...)
	}
	if o.trials != "" {
		switch _, err := os.Stat(p.path(o.trials)); {
		case err == nil:
			names = append(names, p.path(o.trials))
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// record appends a result in one write, so that a process that is killed leaves at most one line without an end.
func (s *sharedSearch) record(t tune.Trial) error {
	text, err := s.Known.Encode(t)
	if err == nil {
		_, err = s.trials.Write(text)
	}
	return err
}

func (s *sharedSearch) close() {
	if s.trials != nil {
		s.trials.Close() // all was written
	}
}

// appendable opens a file behind its last whole line.
func appendable(name string) (*os.File, error) {
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	end := int64(bytes.LastIndexByte(text, '\n') + 1)
	if err = file.Truncate(end); err == nil {
		_, err = file.Seek(end, io.SeekStart)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}
