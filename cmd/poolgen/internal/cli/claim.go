package cli

import (
	"fmt"
	"path/filepath"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/emit"
	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/spec"
)

// overlapping finds pool files whose output folder is that of one before: both would write the file that each package of pools has once, or tear the folder
// into two packages.
func (p *Process) overlapping(units []*unit) spec.Diagnostics {
	var found spec.Diagnostics
	for i, b := range units {
		for _, a := range units[:i] {
			if a.folder() != b.folder() {
				continue
			}
			found = append(found, b.claimed(p.conflict(a, b), spec.Note{File: a.name, Pos: a.doc.OutputPlace(), Message: "the other pool file"}))
			a.doc.Mark(found[len(found)-1:])
			b.doc.Mark(found[len(found)-1:])
			break
		}
	}
	return found
}

// conflict says why two pool files cannot share their output folder.
func (p *Process) conflict(a, b *unit) string {
	if a.plan.Package != b.plan.Package {
		return fmt.Sprintf("%s has the same output folder, and its package is %s instead of %s", a.name, a.plan.Package, b.plan.Package)
	}
	return fmt.Sprintf("%s has the same output folder, and both would write %s", a.name, p.shown(filepath.Join(a.folder(), lower.PackageFile)))
}

// taken is the finding that a file of the output folder is another's.
func (p *Process) taken(u *unit, taken *emit.Taken) spec.Diagnostic {
	path := p.shown(taken.Path)
	d := u.claimed(fmt.Sprintf("%s was generated from %s, which has the same output folder", path, taken.From))
	if taken.From == "" {
		d = u.claimed(fmt.Sprintf("%s would be generated, and was written by hand: poolgen will not overwrite it", path))
		d.Help = "move the file, or write another folder: output: pools"
		for i := range u.plan.Pools {
			if pool := &u.plan.Pools[i]; lower.FilesOf(pool).Has(filepath.Base(taken.Path)) {
				d.Pos, d.Help = pool.Pos, "move or rename the file, or rename the pool"
			}
		}
	}
	found := spec.Diagnostics{d}
	u.doc.Mark(found)
	return found[0]
}

// claimed makes a finding about the output folder of a pool file.
func (u *unit) claimed(message string, notes ...spec.Note) spec.Diagnostic {
	return spec.Diagnostic{
		Code: spec.CodeClaimed, File: u.name, Pos: u.doc.OutputPlace(), Message: message, Notes: notes,
		Help: "give one of the two a folder of its own, as in output: " + u.plan.Package + "2, or write the pools of both into one pool file",
	}
}
