package cli

import (
	"context"
	"maps"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/cheader"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/emit"
	"github.com/poolgen/poolgen/spec"
)

// headers adds the C headers to what was generated. Only pool files that have any pay for it: the Go types are loaded.
func (p *Process) headers(ctx context.Context, units []*unit) (found spec.Diagnostics, err error) {
	for _, u := range units {
		source := cheader.Source{Environ: p.Environ, Dir: emit.Folder{Base: u.dir, Path: "."}.Real(), Output: u.folder(), Generated: u.files}
		files, findings := source.Headers(ctx, u.plan, emit.Header(u.output().Owner(u.base)))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, d := range findings {
			for i := range d.Notes {
				if n := &d.Notes[i]; n.File != "" {
					n.File = p.shown(n.File)
				}
			}
		}
		u.doc.Mark(findings)
		found = append(found, findings...)
		maps.Copy(u.files, files)
	}
	return found, nil
}
