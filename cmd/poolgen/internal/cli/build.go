package cli

import (
	"context"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/workspace"
)

// workspace is the workspace of the process.
func (p *Process) workspace() *workspace.Workspace {
	return &workspace.Workspace{Dir: p.Dir, Environ: p.Environ, Version: versionOf(p.Build).stamp()}
}

// build runs pool files through the compiler and compares the output with the disk. Findings are written in the format, and end the command.
func (p *Process) build(ctx context.Context, names []string, format string) ([]*workspace.Unit, error) {
	w, progress := p.workspace(), p.progress()
	w.Say = progress.say
	units, found, err := w.Build(ctx, names)
	progress.stop()
	if err != nil {
		return nil, err
	}
	return units, p.findings(format, found)
}

// buildToMeasure is build for programs that measure the pools: without the rung wait, because nobody else could free anything, and without C headers.
// Findings are text on standard error, because standard output is for figures alone. In a trial, the output directories may be those of other pool files.
func (p *Process) buildToMeasure(ctx context.Context, names []string, trial bool) ([]*workspace.Unit, error) {
	w, progress := p.workspace(), p.progress()
	w.Say, w.Trial = progress.say, trial
	units, found, err := w.Load(names)
	if err == nil && len(found) == 0 {
		for _, u := range units {
			u.Plan = replay.Unwaiting(u.Plan)
		}
		found, err = w.Compile(ctx, units...)
	}
	progress.stop()
	if err != nil {
		return nil, err
	}
	if err := p.findings(textFormat, found); err != nil {
		return nil, err
	}
	return units, p.compare(ctx, units...)
}

// compare finds out what generate would change on disk. Findings, as text, end the command.
func (p *Process) compare(ctx context.Context, units ...*workspace.Unit) error {
	found, err := p.workspace().Compare(ctx, units...)
	if err != nil {
		return err
	}
	return p.findings(textFormat, found)
}

// named returns the list of pool files for a command that takes at most one.
func named(file string) []string {
	if file == "" {
		return nil
	}
	return []string{file}
}
