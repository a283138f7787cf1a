package workspace

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/emit"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/spec"
)

// conflicts finds pool files that have the output directory of an earlier one: both would write the file that each package of pools has once, or the
// directory would have two packages.
func (w *Workspace) conflicts(units []*Unit) (found spec.Diagnostics) {
	for i, b := range units {
		for _, a := range units[:i] {
			if a.Output().Real() != b.Output().Real() {
				continue
			}
			d := b.claimed(w.conflict(a, b), spec.Note{File: a.Name, Pos: a.doc.OutputPlace(), Message: "the other pool file"})
			found = append(found, w.report(spec.Diagnostics{d}, a, b)...)
			break
		}
	}
	return found
}

// conflict says why two pool files cannot share their output directory.
func (w *Workspace) conflict(a, b *Unit) string {
	if a.Plan.Package != b.Plan.Package {
		return fmt.Sprintf("%s has the same output directory, and its package is %s instead of %s", a.Name, a.Plan.Package, b.Plan.Package)
	}
	return fmt.Sprintf("%s has the same output directory, and both would write %s", a.Name, w.Shown(filepath.Join(a.Output().Real(), lower.PackageFile)))
}

// claimed returns the finding that another pool file has the same output directory.
func (u *Unit) claimed(message string, notes ...spec.Note) spec.Diagnostic {
	help := "give one of the two a directory of its own, as in output: " + u.Plan.Package + "2, or write the pools of both into one pool file"
	return u.Plan.Finding(spec.CodeClaimed, u.doc.OutputPlace(), help, message, notes...)
}

// taken returns the finding that a file of the output directory is another's.
func (w *Workspace) taken(u *Unit, file *emit.Taken) spec.Diagnostic {
	path := w.Shown(file.Path)
	if file.From != "" {
		return u.claimed(fmt.Sprintf("%s was generated from %s, which has the same output directory", path, file.From))
	}
	pos, help := u.doc.OutputPlace(), "move the file, or write another directory: output: pools"
	for i := range u.Plan.Pools {
		pool := &u.Plan.Pools[i]
		if lower.FilesOf(pool).Has(filepath.Base(file.Path)) {
			pos, help = pool.Pos, "move or rename the file, or rename the pool"
		}
	}
	return u.Plan.Finding(spec.CodeClaimed, pos, help, path+" would be generated, and was written by hand: poolgen will not overwrite it")
}

// disown leaves each file to one of the units: to the one that generates it, else to the first that would remove it.
func disown(units []*Unit) {
	taken := map[string]bool{}
	path := func(c *emit.Changes, f emit.Change) string { return filepath.Join(c.Dir.Real(), f.Name) }
	for _, u := range units {
		for _, f := range u.Changes.Files {
			if f.Kind != emit.Orphaned {
				taken[path(&u.Changes, f)] = true
			}
		}
	}
	for _, u := range units {
		for _, c := range u.Sets() {
			c.Files = slices.DeleteFunc(c.Files, func(f emit.Change) bool {
				again := f.Kind == emit.Orphaned && taken[path(c, f)]
				taken[path(c, f)] = true
				return again
			})
		}
	}
}
