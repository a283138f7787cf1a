package tests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/poolgen/poolgen/tests/fatal"
)

// variables are the environment variables that affect the go command or the tests of the module.
var variables = strings.Fields("AR CC CXX CGO_ENABLED CGO_CFLAGS CGO_CPPFLAGS CGO_CXXFLAGS CGO_LDFLAGS GOFLAGS GODEBUG GOGC GOMAXPROCS GOTOOLCHAIN " +
	"CUDA_VISIBLE_DEVICES NVTX_INJECTION64_PATH POOLGEN_CUDA_LIBRARY POOLGEN_TESTS POOLGEN_VIEW_CUBIN")

// inputs are the files that the result of the tests depends on, each with a description of its state.
type inputs map[string]stamp

type stamp struct{ size, time int64 }

// look makes the inputs of the tests known to the go command by reading them: the go command caches the result until one of the variables, or a
// file in one of these directories, changes. It notes the state of the files when the tests have ended, so no file may change while they run.
func look(dirs []string) (inputs, error) {
	for _, name := range variables {
		os.Getenv(name)
	}
	seen := inputs{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				var info fs.FileInfo
				if info, err = entry.Info(); err == nil {
					seen[name] = stamp{info.Size(), info.ModTime().UnixNano()}
				}
			}
			if errors.Is(err, fs.ErrNotExist) { // gone meanwhile, which is found as a change
				return nil
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return seen, nil
}

// changed lists the files that are not what they were: other, new, or gone.
func (before inputs) changed(after inputs) (names []string) {
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, old := before[name]
		is, there := after[name]
		if was != is || old != there {
			names = append(names, name)
		}
	}
	return names
}

// unchanged fails the test if a file has changed.
func unchanged(dirs []string, before inputs) error {
	after, err := look(dirs)
	if names := before.changed(after); err == nil && names != nil {
		err = errChanged(names)
	}
	return err
}

func errChanged(names []string) error {
	return fmt.Errorf("files changed while the tests ran: run again\n\t%s", strings.Join(names, "\n\t"))
}

// isGenerated reports whether a generator writes a file, or has removed it.
func isGenerated(name string) bool {
	text, err := os.ReadFile(name)
	return errors.Is(err, fs.ErrNotExist) || bytes.HasPrefix(text, []byte("// Code generated "))
}

// sourceDirs lists the directories of the root module with packages, and its go.mod. (The directory of the module itself is not listed, because .git
// changes all the time.)
func sourceDirs(ctx context.Context, root string) ([]string, error) {
	var list bytes.Buffer
	if err := goCommand(ctx, root, &list, os.Stderr, "list", "-f", "{{.Dir}}", "./..."); err != nil {
		return nil, err
	}
	found := map[string]bool{filepath.Join(root, "go.mod"): true, filepath.Join(root, "go.sum"): true}
	for dir := range strings.Lines(list.String()) {
		name, err := filepath.Rel(root, strings.TrimSpace(dir))
		if err != nil {
			return nil, err
		}
		top, _, _ := strings.Cut(filepath.ToSlash(name), "/")
		found[filepath.Join(root, top)] = true
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// TestEachChangeOfInputsShows plants changes: of a file's text, of its time alone, an added file, and a removed one.
func TestEachChangeOfInputsShows(t *testing.T) {
	for name, change := range map[string]func(file string) error{
		"text": func(file string) error { return os.WriteFile(file, []byte("package other\n"), 0o644) },
		"time": func(file string) error { return os.Chtimes(file, time.Unix(0, 0), time.Unix(0, 0)) },
		"more": func(file string) error { return os.WriteFile(file+"2", nil, 0o644) },
		"less": os.Remove,
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "a.go")
		fatal.If(t, os.WriteFile(file, []byte("package a\n"), 0o644))
		before, err := look([]string{dir})
		fatal.If(t, err)
		if err := unchanged([]string{dir}, before); err != nil {
			t.Errorf("before the change of %s: %v", name, err)
		}
		fatal.If(t, change(file))
		if err := unchanged([]string{dir}, before); err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "run again") {
			t.Errorf("the change of %s gives %v", name, err)
		}
	}
}
