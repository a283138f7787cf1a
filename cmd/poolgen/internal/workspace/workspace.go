// Package workspace works on the pool files on disk: it finds and reads them, runs them through the compiler, and compares the result with their
// output directories.
//
//	Load:    Find -> spec.Load -> Validate   a [Unit] for each pool file, with its plan
//	Compile: compile.Files                   its files, in memory
//	Compare: emit.Compare, emit.Strays       how they differ from what is on disk
//
// [Workspace.Build] runs all stages, and generates C headers, which the single stages do not. [Workspace.LoadTypes] may follow Compare, to get sizes
// that only the Go compiler knows. A stage may only follow one that had no findings. This package decides which file belongs to which pool file;
// package emit acts on that.
//
// The package prints nothing, and writes nothing to disk.
package workspace

import (
	"path/filepath"

	"github.com/poolgen/poolgen/spec"
)

// Workspace is the place where a command runs. It does not change, and is safe for concurrent use; units are not.
type Workspace struct {
	Dir     string   // current directory, absolute
	Environ []string // for the go command, which C headers need
	Version string   // of poolgen, as generated files name it
	Trial   bool     // nothing will be written, so a pool file may have the output directory of another

	Say func(format string, args ...any) // announces the steps of Compile, with the arguments of fmt.Printf; may be nil
}

// Path makes a path that a user has written absolute.
func (w *Workspace) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(w.Dir, name)
}

// Shown writes a path relative to the current directory where that reads best.
func (w *Workspace) Shown(path string) string {
	rel, err := filepath.Rel(w.Dir, path)
	if err != nil || len(rel) > len(path) {
		rel = path
	}
	return filepath.ToSlash(rel)
}

// report completes the findings of stages after Validate, which have only the position of a value: it adds the lines of the pool files of units, and
// shows the paths of other files as messages do. All findings of later stages leave this package through report.
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
