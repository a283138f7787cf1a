// Package cli is the command line of poolgen. Each command is a file of this package. Commands are thin: they read their
// flags, run pool files through the compiler by package workspace, and report the outcome.
//
//	workspace: find, load, compile, compare -> {emit.Apply | list | patch | replay}
//
// The process is a value, [Process], and a test can run commands in itself: nothing here reads arguments, environment,
// current directory or streams of the operating system.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/gomod"
	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/spec"
)

// Exit codes of the command line.
const (
	ExitDone     = 0
	ExitFindings = 1  // the pool file has errors, or the output has drifted
	ExitUsage    = 2  // wrong usage, or an operation of the disk or the Go toolchain failed
	ExitBug      = 70 // a fault of poolgen
)

// Process is the environment of a command.
type Process struct {
	Args    []string // without the program's name
	Environ []string
	Dir     string // current directory, absolute
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Build   *debug.BuildInfo // of this program; nil if unknown
	Self    string           // path of this program, which go vet runs as its tool
}

// Main runs one command line and returns its exit code. It may be called any number of times, also
// concurrently. When ctx ends, subprocesses are killed, and no file is left half written.
func Main(ctx context.Context, p Process) (exit int) {
	defer func() {
		if fault := recover(); fault != nil {
			fmt.Fprintf(p.Stderr, bugText, fault, debug.Stack())
			exit = ExitBug
		}
	}()
	out := &output{Writer: p.Stdout}
	p.Stdout = out
	exit = p.exit(p.root().ExecuteContext(ctx))
	if out.err != nil && exit != ExitUsage {
		exit = p.exit(fmt.Errorf("write the output: %w", out.err))
	}
	return exit
}

const bugText = `poolgen: internal error: %v

This is a fault of poolgen, not of your pool file. Please report it with the pool file and the text below
at https://github.com/poolgen/poolgen/issues

%s`

// status is an exit code whose reason has been printed already.
type status int

func (s status) Error() string { return fmt.Sprintf("exit code %d", int(s)) }

// exit prints the error, unless it has been printed already, and returns the exit code.
func (p *Process) exit(err error) int {
	var told status
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &told):
		return int(told)
	case errors.Is(err, context.Canceled):
		err = errors.New("interrupted")
	}
	p.complain("poolgen: " + ofTemporary(err).Error())
	return ExitUsage
}

// complain writes lines to standard error. They may name files, and a name may be anything.
func (p *Process) complain(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		fmt.Fprintln(p.Stderr, spec.Printable(line))
	}
}

// ofTemporary adds to an error of the directory for temporary files how another one is chosen.
func ofTemporary(err error) error {
	var path *fs.PathError
	dir := os.TempDir()
	if !errors.As(err, &path) {
		return err
	}
	ours := strings.HasPrefix(path.Path, filepath.Join(dir, "poolgen-")) // or a file of the user's that is there, too
	made, run := ours && path.Op == "mkdir", ours && path.Op == "fork/exec" && errors.Is(err, fs.ErrPermission)
	if path.Path != dir && !made && !run {
		return err
	}
	return fmt.Errorf("%w: temporary files go to %s: set TMPDIR, on Windows TMP, to a directory where programs can be written and run", err, dir)
}

// path makes a path given on the command line absolute.
func (p *Process) path(name string) string { return p.workspace().Path(name) }

// shown writes a path relative to the current directory where that reads best.
func (p *Process) shown(path string) string { return p.workspace().Shown(path) }

// gocmd runs the Go toolchain with the user's environment.
func (p *Process) gocmd() gomod.Go { return gomod.Go{Environ: p.Environ} }

// gocmdFor runs the Go toolchain for pools: with the simulated driver, if this program was built with it.
func (p *Process) gocmdFor(pools []spec.Pool) gomod.Go {
	for i := range pools {
		if pools[i].NeedsDriver() && cuda.LibraryPath() == simulator {
			return p.gocmd().WithTag("cudasim")
		}
	}
	return p.gocmd()
}

// first returns the first argument, "" if there is none.
func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
