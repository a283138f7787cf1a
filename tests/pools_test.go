// Package tests runs the tests of generated pools, which are a module of their own in the folder pools, as their pools are not committed:
//
//	go test ./tests                                         generates the pools, checks the output, and runs all tests
//	go test ./tests -run Output -update                     accepts changed output: pools.sum
//	go test -v ./tests -pools '-race -short ./conformance'  instead of the tests, go test with these arguments, in the folder pools
package tests

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/poolgen/poolgen/tests/tempmod"
)

var (
	arguments = flag.String("pools", "", "arguments of go test in the folder pools, instead of ./... and the flags of this test")
	update    = flag.Bool("update", false, "write pools.sum")
)

// folder is that of the module.
const folder = "pools"

// TestPools runs the tests of the module.
func TestPools(t *testing.T) {
	generate(t)
	args := []string{"test"}
	if *arguments == "" {
		args = append(append(args, handedOn()...), "./...")
	}
	run(t, append(args, strings.Fields(*arguments)...)...)
}

// handedOn returns the flags of this test that are those of the tests there, too.
func handedOn() (flags []string) {
	flag.Visit(func(f *flag.Flag) {
		switch name := strings.TrimPrefix(f.Name, "test."); name {
		case "short", "count", "failfast":
			flags = append(flags, "-"+name+"="+f.Value.String())
		case "v": // which is "test2json" for go test -json
			if f.Value.String() != "false" {
				flags = append(flags, "-v")
			}
		}
	})
	return flags
}

// TestVet holds correct programs of the module against the rules of poolgen vet.
func TestVet(t *testing.T) {
	if testing.Short() || *arguments != "" {
		t.Skip("loads many packages")
	}
	generate(t)
	run(t, "tool", "poolgen", "vet", "--tags", "cudasim", "./streams/...", "./conformance/...")
}

// generate writes the pools of the module, once, and notes what the tests there depend on.
func generate(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(folder, "go.mod")); errors.Is(err, fs.ErrNotExist) {
		t.Skip("the folder pools is a module of its own, which is there in a checkout, and not in the module cache")
	}
	if err := generated(); err != nil {
		t.Fatal(err)
	}
	look(t)
}

// generated writes the pools of the module, and what else is generated there. What has not changed keeps its time.
var generated = sync.OnceValue(func() error {
	files, err := poolFiles(os.DirFS(folder))
	if err != nil {
		return err
	}
	for _, args := range [][]string{
		append([]string{"tool", "poolgen", "generate"}, files...), // one call for all, which takes half the time of a call for each
		{"generate", "-skip", "poolgen", "./..."},
	} {
		if out, diag, err := inModule.Go(args...); err != nil {
			return fmt.Errorf("go %s: %w\n%s%s", strings.Join(args, " "), err, out, diag)
		}
	}
	return nil
})

// inModule runs the go command in the module.
var inModule = tempmod.Command{Dir: folder, Env: []string{"GOWORK=off"}}

// poolFiles lists the pool files of the module, seen from its folder.
func poolFiles(module fs.FS) (names []string, err error) {
	err = fs.WalkDir(module, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == "poolgen.yaml" {
			names = append(names, filepath.FromSlash(name))
		}
		return err
	})
	return names, err
}

// reserve is what a run leaves of the time limit, to say so.
const reserve = 10 * time.Second

// run runs the go command in the module. What it prints is this test's: shown as it comes with -v, and otherwise if the test fails.
func run(t *testing.T, args ...string) {
	t.Helper()
	ctx := t.Context()
	if end, limited := t.Deadline(); limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-reserve))
		defer cancel()
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "GOWORK=off")
	cmd.Stdout, cmd.Stderr = t.Output(), t.Output()
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = reserve / 2
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		t.Errorf("go %s: no time is left. What has passed is kept: repeat with -timeout 20m", strings.Join(args, " "))
	case err != nil:
		t.Errorf("go %s: %v", strings.Join(args, " "), err)
	}
}

// variables are those of the environment that the go command or the tests of the module go by.
var variables = strings.Fields("AR CC CXX CGO_ENABLED CGO_CFLAGS CGO_CPPFLAGS CGO_CXXFLAGS CGO_LDFLAGS GOFLAGS GODEBUG GOGC GOMAXPROCS GOTOOLCHAIN " +
	"CUDA_VISIBLE_DEVICES NVTX_INJECTION64_PATH POOLGEN_CUDA_LIBRARY POOLGEN_VIEW_CUBIN")

// look tells the go command what the tests of the module depend on, by looking at it: their result is kept until one of these variables, or a file in
// a folder with packages of poolgen, changes. (The folder of the root module itself is not looked at: what is in .git changes all the time.)
func look(t *testing.T) {
	t.Helper()
	for _, name := range variables {
		os.Getenv(name)
	}
	root := tempmod.Root(t)
	list, diag, err := tempmod.Command{Dir: root}.Go("list", "-f", "{{.Dir}}", "./...")
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, diag)
	}
	seen := map[string]bool{"go.mod": true, "go.sum": true}
	for dir := range strings.Lines(list) {
		name, err := filepath.Rel(root, strings.TrimSpace(dir))
		if err != nil {
			t.Fatal(err)
		}
		top, _, _ := strings.Cut(filepath.ToSlash(name), "/")
		seen[top] = true
	}
	for name := range seen {
		err := filepath.WalkDir(filepath.Join(root, name), func(_ string, _ fs.DirEntry, err error) error { return err })
		if err != nil {
			t.Fatal(err)
		}
	}
}
