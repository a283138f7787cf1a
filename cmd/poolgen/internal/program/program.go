// Package program compiles the pools of a pool file into a program that does something with them, and runs it: a replay of a trace, a
// benchmark.
//
// The pools are generated from the pool file as it stands. No file of the user is changed: what has to be added to the generated package is given to
// the go command as an overlay. It is
//
//	an adapter   a test file of the generated package, which calls its pools the way the user's code does
//	a harness    a package beside it for all that is the same for every pool
//
// A test program may be built of every package, main and internal ones included.
package program

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
)

// Addition is what is added to a generated package.
type Addition struct {
	// Name is that of the harness's directory below the generated package, and with _test.go that of the adapter. It only has to be
	// unlikely: a collision is a compile error, and harms nothing.
	Name string
	// Harness has the harness's files, with slashes in their names. Path is the import path that they know themselves by.
	Harness map[string][]byte
	Path    string
	// Adapter returns the source of the adapter, for a package of that name and a harness of that import path.
	Adapter func(packageName, harnessPath string) []byte
}

// Files returns the files of a harness, which are embedded below root, by their names there.
func Files(source embed.FS, root string) map[string][]byte {
	files := map[string][]byte{}
	err := fs.WalkDir(source, root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files[strings.TrimPrefix(name, root+"/")], err = source.ReadFile(name)
		return err
	})
	if err != nil {
		panic(err) // embedded
	}
	return files
}

// Program is compiled pools.
type Program struct {
	Temp    string // directory for what goes in and out, removed by the caller of Build
	path    string
	environ []string
}

// Run runs the program. The error carries what it wrote to standard error.
func (p *Program) Run(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, p.path, args...)
	cmd.Env = p.environ
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%w\n%s", err, strings.TrimSpace(stderr.String()))
	}
	return nil
}
