package workspace

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/cheader"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/compile"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/emit"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/internal/figure"
	"github.com/poolgen/poolgen/spec"
)

// Build runs pool files through all stages, up to the comparison with the disk. It ends with the first stage that has findings.
func (w *Workspace) Build(ctx context.Context, names []string) ([]*Unit, spec.Diagnostics, error) {
	units, found, err := w.Load(names)
	if err == nil && len(found) == 0 {
		found, err = w.Compile(ctx, units...)
	}
	if err == nil && len(found) == 0 {
		found, err = w.headers(ctx, units)
	}
	if err == nil && len(found) == 0 {
		found, err = w.Compare(ctx, units...)
	}
	return units, found, err
}

// Compile generates the Go files of checked pool files, in memory.
func (w *Workspace) Compile(ctx context.Context, units ...*Unit) (found spec.Diagnostics, err error) {
	all, done, said := 0, 0, -1 // pools, and tenths of them
	for _, u := range units {
		all += len(u.Plan.Pools)
	}
	for _, u := range units {
		say := func(percent int) {
			if now := (100*done + percent*len(u.Plan.Pools)) / max(10*all, 1); w.Say != nil && now > said {
				said = now
				w.Say("generate %s: %d %%%v", figure.Count(int64(all), "pool"), 10*now, figure.Left{Done: now, All: 10})
			}
		}
		say(0)
		files, findings := compile.Files(ctx, u.Plan, u.owner(), w.Version, u.Env.Decls, say)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		u.Files, done = files, done+len(u.Plan.Pools)
		found = append(found, w.report(findings, u)...)
	}
	return found, nil
}

// headers adds the C headers to the generated files. Only pool files with headers have the cost of loading the Go types.
func (w *Workspace) headers(ctx context.Context, units []*Unit) (found spec.Diagnostics, err error) {
	for _, u := range units {
		source := cheader.Source{Environ: w.Environ, Dir: emit.Dir{Base: u.dir, Path: "."}.Real(), Output: u.Output().Real(), Generated: u.Files}
		files, findings := source.Headers(ctx, u.Plan, emit.Header(u.owner()))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		maps.Copy(u.Files, files)
		found = append(found, w.report(findings, u)...)
	}
	return found, nil
}

// Compare compares the generated files with the output directories, and finds files that were generated elsewhere before. Files that
// the pool file must not write are findings.
func (w *Workspace) Compare(ctx context.Context, units ...*Unit) (spec.Diagnostics, error) {
	found := w.conflicts(units)
	if len(found) > 0 {
		return found, nil
	}
	for _, u := range units {
		if w.Say != nil {
			w.Say("compare %s of %s with the disk", figure.Count(int64(len(u.Files)), "file"), u.Name)
		}
		var err error
		var other *emit.Taken
		u.Changes, err = emit.Compare(ctx, u.Output(), u.owner(), u.Files, lower.IsFile)
		switch {
		case errors.As(err, &other):
			found = append(found, w.report(spec.Diagnostics{w.taken(u, other)}, u)...)
			continue
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			return nil, fmt.Errorf("%s: %w", u.Name, err)
		}
		if u.Strays, err = emit.Strays(ctx, u.Output(), u.base, lower.IsFile); err != nil {
			return nil, fmt.Errorf("%s: %w", u.Name, err)
		}
	}
	disown(units)
	return found, nil
}
