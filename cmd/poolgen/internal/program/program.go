// Package program compiles the pools of a pool file into a program that uses them, such as a replay of a trace or a benchmark, and runs it.
//
// The pools are generated from the unchanged pool file. No file of the user's is changed: the go command gets the addition to the generated package
// as an overlay. It is
//
//	an adapter   a test file of the generated package, which calls its pools the way the user's code does
//	a harness a package below it with the code that is the same for every pool
//
// The program is a test program, because one can be built of every package, including main and internal ones.
package program

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os/exec"
	"runtime"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/gomod"
)

// Addition is source that is added to a generated package.
type Addition struct {
	// Name is that of the harness's directory below the generated package, and with _test.go that of the adapter. It only has to be
	// unlikely: a collision is a compile error, and harms nothing.
	Name string
	// Harness has the harness's files, with slashes in their names. Path is the import path that they use for themselves.
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
		if cmd.Process == nil {
			return p.foreign(ctx, err)
		}
		return fmt.Errorf("%w\n%s", err, strings.TrimSpace(stderr.String()))
	}
	return nil
}

// foreign returns the error of a program that did not start. Its usual cause is that the user builds for another system, which may have an emulator here,
// so that nothing is refused before.
func (p *Program) foreign(ctx context.Context, err error) error {
	out, wrong := gomod.Go{Environ: p.environ}.Run(ctx, p.Temp, "env", "GOOS", "GOARCH")
	target := strings.Join(strings.Fields(out), "/")
	here := runtime.GOOS + "/" + runtime.GOARCH
	if wrong != nil || target == here {
		return err
	}
	return fmt.Errorf("the pools were built for %s, as GOOS and GOARCH or go env say, and this is %s, where they do not start: unset GOOS and GOARCH: %w", target, here, err)
}
