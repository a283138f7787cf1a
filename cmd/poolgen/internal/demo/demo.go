// Package demo shows the use of poolgen from end to end: it writes a small project, and generates, builds and runs it as a user would.
//
// The project is real source in the directory _project. Patterns such as ./... do not match it, because it does not compile before its
// pools are generated. The script demo.txtar of package cli generates, vets and runs it.
package demo

import (
	"context"
	"embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/gomod"
)

//go:embed _project/poolgen.yaml _project/tile.go _project/main.go
var project embed.FS

// files are the files of the project in reading order.
var files = []struct{ name, what string }{
	{"poolgen.yaml", "the pools: one of equal blocks, one of blocks of any length"},
	{"tile.go", "the type that the first pool hands out"},
	{"main.go", "allocates and frees through the generated functions, and writes snapshots"},
}

// snapshots are the files that its program writes.
var snapshots = []string{"full.snapshot", "end.snapshot"}

// Demo is one run of the demo.
type Demo struct {
	Go       gomod.Go
	Cwd      string // where poolgen was called
	Dir      string // empty directory for the project
	Stays    bool   // the project is not removed afterwards
	Out      io.Writer
	Generate func(dir string) error  // runs poolgen generate in dir and prints what it did
	Show     func(file string) error // runs poolgen snapshot
}

// Run writes the project, and generates, builds and runs it, and prints each step. It needs the Go
// toolchain and no C compiler. It needs no network if the module cache holds the modules that poolgen
// requires.
func (d Demo) Run(ctx context.Context) error {
	source, err := d.Go.Locate(ctx, d.Cwd)
	if err != nil {
		return err
	}
	d.say("A new project in %s", d.Dir)
	contents := map[string][]byte{}
	for _, f := range files {
		if contents[f.name], err = project.ReadFile("_project/" + f.name); err != nil {
			return err
		}
		fmt.Fprintf(d.Out, "  %-12s  %s\n", f.name, f.what)
	}
	if err := gomod.Write(d.Dir, "example.com/demo", source, contents); err != nil {
		return err
	}
	d.say("$ poolgen generate")
	if err := d.Generate(d.Dir); err != nil {
		return err
	}
	program := "demo"
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	d.say("$ go build -o %s", program)
	gocmd := d.Go.Temporary().With("CGO_ENABLED=0")
	if _, err := gocmd.Run(ctx, d.Dir, "build", "-o", program, "."); err != nil {
		return err
	}
	d.say("$ ./%s", program)
	if err := d.runProgram(ctx, filepath.Join(d.Dir, program)); err != nil {
		return err
	}
	for _, name := range snapshots {
		d.say("$ poolgen snapshot %s", name)
		if err := d.Show(filepath.Join(d.Dir, name)); err != nil {
			return err
		}
	}
	if !d.Stays {
		d.say("The project is removed; poolgen demo --dir DIR keeps it.")
		return nil
	}
	d.say("The project stays in %s: change poolgen.yaml, run there\n\n  go run %s/cmd/poolgen generate\n\nand look at what changes.", d.Dir, gomod.Path)
	return nil
}

// runProgram runs the demo's program, which writes to the same place as the demo.
func (d Demo) runProgram(ctx context.Context, path string) error {
	cmd := exec.CommandContext(ctx, path)
	cmd.Dir, cmd.Env = d.Dir, d.Go.Environ
	cmd.Stdout, cmd.Stderr = d.Out, d.Out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("run the demo: %w", err)
	}
	return nil
}

func (d Demo) say(format string, args ...any) {
	fmt.Fprintf(d.Out, "\n"+format+"\n", args...)
}

// Prepare makes dir, which may be missing or empty; "" stands for a new temporary directory. It returns the
// directory's path.
func Prepare(dir string) (string, error) {
	if dir == "" {
		return os.MkdirTemp("", "poolgen-demo-")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	if len(entries) > 0 {
		return "", fmt.Errorf("%s is not empty: the demo needs a directory of its own", dir)
	}
	return dir, nil
}
