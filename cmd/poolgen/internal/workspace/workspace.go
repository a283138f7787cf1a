// Package workspace has the pool files on disk: it finds and reads them, takes them through the compiler, and compares the result with their output directories.
//
//	Load:    Find -> spec.Load -> Validate   a [Unit] for each pool file, with its plan
//	Compile: compile.Files                   its files, in memory
//	Compare: emit.Compare, emit.Strays       how they differ from what is on disk
//
// [Workspace.Build] is all of it, with C headers, which the other stages do without. [Workspace.LoadTypes] follows Compare where sizes are wanted that only the
// Go compiler knows. A stage may only follow one that had no findings. Which file belongs to which pool file is decided here; package emit then does what
// follows from that.
//
// The package prints nothing, and leaves nothing on disk.
package workspace

import (
	"path/filepath"

	"github.com/poolgen/poolgen/spec"
)

// Workspace is the place where a command runs. It may be used by several goroutines at once, as nobody changes it; units are their caller's.
type Workspace struct {
	Dir     string   // current directory, absolute
	Environ []string // for the go command, which C headers need
	Version string   // of poolgen, as generated files name it
}

// Path makes a path that a user has written absolute.
func (w *Workspace) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(w.Dir, name)
}

// Shown writes a path the way it is best read from the current directory.
func (w *Workspace) Shown(path string) string {
	rel, err := filepath.Rel(w.Dir, path)
	if err != nil || len(rel) > len(path) {
		rel = path
	}
	return filepath.ToSlash(rel)
}

// report completes findings of stages after Validate, which know where a value begins and no more: they get the lines of the pool files of units, and show other files
// as messages do. No finding of a later stage leaves this package in another way.
func (w *Workspace) report(found spec.Diagnostics, units ...*Unit) spec.Diagnostics {
	for _, u := range units {
		u.doc.Mark(found)
	}
	for _, d := range found {
		for i := range d.Notes {
			if n := &d.Notes[i]; n.File != "" {
				n.File = w.Shown(n.File)
			}
		}
	}
	return found
}
