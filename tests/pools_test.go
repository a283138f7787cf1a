// Package tests runs the tests of generated pools, which are a module of their own in the directory pools, because their pools are not committed:
//
//	go test ./tests                                         generates pools of host memory, checks the output, and runs their tests
//	POOLGEN_TESTS=large go test ./tests                     all pools, and all tests
//	go test ./tests -run Output -update                     accepts changed output: pools.sum
//	go test -v ./tests -pools '-race -short ./conformance'  instead of the tests, go test with these arguments, in the directory pools
package tests

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/large"
	"github.com/poolgen/poolgen/tests/tempmod"
)

var (
	arguments = flag.String("pools", "", "arguments of go test in the directory pools, instead of ./... and the flags of this test")
	update    = flag.Bool("update", false, "write pools.sum")
)

// directory is that of the module.
const module = "pools"

// small has the directories of the module with pools of host memory. Their tests need no tag, no driver, and no pools of others.
var small = strings.Fields("conformance faults internal/history sharded sharded/pools")

// whole reports whether all pools are generated, and all tests run. Arguments may name any directory.
func whole() bool { return large.Form() || *update || *arguments != "" }

// TestPools runs the tests of the module.
func TestPools(t *testing.T) {
	generate(t)
	if *arguments != "" {
		run(t, append([]string{"test"}, strings.Fields(*arguments)...)...)
		return
	}
	args := append([]string{"test"}, handedOn(flag.CommandLine, race)...)
	if !large.Form() {
		args = append(args, "-short")
		for _, dir := range small {
			args = append(args, "./"+dir)
		}
		run(t, args...)
		return
	}
	plain, simulated := tested(t), tested(t, "-tags=cudasim")
	run(t, append(args, slices.Sorted(maps.Keys(plain))...)...)
	maps.DeleteFunc(simulated, func(name, files string) bool { return files == plain[name] })
	run(t, append(append(args, "-short", "-timeout=20m", "-tags=cudasim"), slices.Sorted(maps.Keys(simulated))...)...)
}

// tested returns the packages that have tests, each with the names of their files: go test would compile the others for nothing.
func tested(t *testing.T, flags ...string) map[string]string {
	t.Helper()
	var out bytes.Buffer
	args := append([]string{"list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.TestGoFiles}} {{.XTestGoFiles}}{{end}}"}, flags...)
	fatal.If(t, goCommand(limited(t), module, &out, t.Output(), append(args, "./...")...))
	found := map[string]string{}
	for line := range strings.Lines(out.String()) {
		name, files, _ := strings.Cut(line, " ")
		found[name] = files
	}
	return found
}

// generate writes the pools of the module, once, and checks at the end of the test that no input has changed.
func generate(t *testing.T) {
	t.Helper()
	switch there, err := hasModule(module); {
	case err != nil:
		t.Fatal(err)
	case !there:
		t.Skip("the directory pools is a module of its own, which is there in a checkout, and not in the module cache")
	}
	generated.Do(func() { state.dirs, state.inputs, state.err = writePools(limited(t), tempmod.Root(t)) })
	if state.err != nil {
		t.Fatal(state.err)
	}
	if *arguments != "" || *update { // the result is not kept
		return
	}
	t.Cleanup(func() {
		if err := unchanged(state.dirs, state.inputs); err != nil {
			t.Error(err)
		}
	})
}

// hasModule reports whether the directory of the module exists. A directory without go.mod is an error.
func hasModule(dir string) (bool, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil, err
}

func TestModuleWithoutGoMod(t *testing.T) {
	dir := t.TempDir()
	if there, err := hasModule(filepath.Join(dir, "none")); there || err != nil {
		t.Errorf("no directory: %v, %v", there, err)
	}
	if there, err := hasModule(dir); there || err == nil {
		t.Errorf("a directory without go.mod: %v, %v", there, err)
	}
	tempmod.Write(t, dir, map[string]string{"go.mod": "module m\n"})
	if there, err := hasModule(dir); !there || err != nil {
		t.Errorf("a module: %v, %v", there, err)
	}
}

var (
	generated sync.Once
	state     struct { // when the pools had been generated
		dirs   []string
		inputs inputs
		err    error
	}
)

// writePools writes the pools of the module, and what else is generated there. What has not changed keeps its time. It returns the state of what the
// tests depend on, and an error if any of it but what is generated changed meanwhile.
func writePools(ctx context.Context, root string) (dirs []string, after inputs, err error) {
	dirs, err = sourceDirs(ctx, root)
	if err != nil {
		return nil, nil, err
	}
	before, err := look(dirs)
	if err != nil {
		return nil, nil, err
	}
	files, err := generatedFrom()
	if err != nil {
		return nil, nil, err
	}
	for _, args := range [][]string{
		append([]string{"tool", "poolgen", "generate"}, files...), // one call for all, which takes half the time of a call for each
		{"generate", "-skip", "poolgen", "./..."},
	} {
		var out bytes.Buffer
		if err := goCommand(ctx, module, &out, &out, args...); err != nil {
			return nil, nil, fmt.Errorf("%w\n%s", err, &out)
		}
	}
	after, err = look(dirs)
	if names := slices.DeleteFunc(before.changed(after), isGenerated); err == nil && len(names) > 0 {
		err = errChanged(names)
	}
	return dirs, after, err
}

// generatedFrom lists the pool files whose pools are generated.
func generatedFrom() ([]string, error) {
	files, err := poolFiles(os.DirFS(module))
	if whole() {
		return files, err
	}
	return slices.DeleteFunc(files, func(file string) bool { return !slices.Contains(small, filepath.ToSlash(filepath.Dir(file))) }), err
}

// poolFiles lists the pool files of the module, seen from its directory.
func poolFiles(module fs.FS) (names []string, err error) {
	err = fs.WalkDir(module, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == "poolgen.yaml" {
			names = append(names, filepath.FromSlash(name))
		}
		return err
	})
	return names, err
}

// run runs the go command in the module. What it prints is this test's: shown as it comes with -v, and otherwise if the test fails.
func run(t *testing.T, args ...string) {
	t.Helper()
	if err := goCommand(limited(t), module, t.Output(), t.Output(), args...); err != nil {
		t.Error(err)
	}
}

// reserve is the part of the time limit that commands leave for the error message.
const reserve = 10 * time.Second

// limited returns the context of commands, which ends in time.
func limited(t *testing.T) context.Context {
	end, is := t.Deadline()
	if !is {
		return t.Context()
	}
	ctx, cancel := context.WithDeadline(t.Context(), end.Add(-reserve))
	t.Cleanup(cancel)
	return ctx
}

// goCommand runs the go command in a directory, until it ends or the context does.
func goCommand(ctx context.Context, dir string, stdout, stderr io.Writer, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, stdout, stderr
	cmd.Env = append(cmd.Environ(), "GOWORK=off")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = reserve / 2
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("go %s: no time is left. What has passed is kept: repeat with -timeout 20m", strings.Join(args, " "))
	case err != nil:
		return fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

func TestNoTimeIsLeft(t *testing.T) {
	ctx, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	if _, _, err := writePools(ctx, tempmod.Root(t)); err == nil || !strings.Contains(err.Error(), "-timeout 20m") {
		t.Errorf("without time: %v", err)
	}
}
