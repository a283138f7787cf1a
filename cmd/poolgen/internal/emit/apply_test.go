package emit

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/poolgen/poolgen/tests/fatal"
)

// faulty fails in its nth call; n < 0 never fails.
type faulty struct {
	disk
	n    *int
	stop bool // from then on, fail all calls: the process has died
}

var errFault = errors.New("fault")

func (f faulty) fails() bool {
	*f.n--
	return *f.n == 0 || f.stop && *f.n < 0
}

func (f faulty) write(root *os.Root, name string, content []byte, permissions os.FileMode) error {
	if f.fails() {
		f.disk.write(root, name, content[:len(content)/2], permissions)
		return errFault
	}
	return f.disk.write(root, name, content, permissions)
}

func (f faulty) rename(root *os.Root, from, to string) error {
	if f.fails() {
		return errFault
	}
	return f.disk.rename(root, from, to)
}

func (f faulty) remove(root *os.Root, name string) error {
	if f.fails() {
		return errFault
	}
	return f.disk.remove(root, name)
}

// TestApplyIsAllOrNothing lets each operation on the disk fail in turn, with two directories to write.
func TestApplyIsAllOrNothing(t *testing.T) {
	const writesAndRenames = 6 + 2 + 2 + 2 + 2 // new and old contents, renames; 2 removals: see drifted
	for n := 1; ; n++ {
		dir, want := drifted(t)
		second := t.TempDir()
		write(t, second, "b.go", generated("old"))
		before, beforeSecond := tree(t, dir), tree(t, second)
		sets := []Changes{compare(t, dir, ".", want), compare(t, second, "new/directory", want), compare(t, second, ".", want)}
		count := n
		err := apply(t.Context(), sets, faulty{n: &count})
		if err == nil {
			if n <= writesAndRenames {
				t.Fatalf("fault %d was ignored", n)
			}
			return // the rest was cleaning up
		}
		if !errors.Is(err, errFault) {
			t.Fatal(err)
		}
		if got := tree(t, dir); !maps.Equal(got, before) {
			t.Fatalf("fault %d leaves %q", n, got)
		}
		if got := tree(t, second); !maps.Equal(got, beforeSecond) {
			t.Fatalf("fault %d leaves %q in the second directory", n, got)
		}
		if _, err := os.Stat(filepath.Join(second, "new")); err == nil {
			t.Fatalf("fault %d leaves an empty directory", n)
		}
	}
}

// ending ends a context in its nth write.
type ending struct {
	disk
	n      *int
	cancel func()
}

func (e ending) write(root *os.Root, name string, content []byte, permissions os.FileMode) error {
	if *e.n--; *e.n == 0 {
		e.cancel()
	}
	return e.disk.write(root, name, content, permissions)
}

// TestApplyEndsWithItsContext ends the context in each write but those of the last two files: nothing changes, no
// temporary file is left, and at most the other content of the same file is still written.
func TestApplyEndsWithItsContext(t *testing.T) {
	for n := 1; n <= 3; n++ {
		dir, want := drifted(t)
		before := tree(t, dir)
		ctx, cancel := context.WithCancel(t.Context())
		count := n
		err := apply(ctx, []Changes{compare(t, dir, ".", want)}, ending{n: &count, cancel: cancel})
		if !errors.Is(err, context.Canceled) || count < -1 {
			t.Errorf("after write %d: %v, and %d more writes", n, err, -count)
		}
		if got := tree(t, dir); !maps.Equal(got, before) {
			t.Errorf("after write %d: %q is left", n, got)
		}
	}
}

// TestInterruptedApply kills Apply after each operation on the disk: every file is as it was or as it should be, orphans are
// removed when all other files are in place, and the next run completes the work and removes temporary files that are old
// enough.
func TestInterruptedApply(t *testing.T) {
	for n := 1; n < 20; n++ {
		dir, want := drifted(t)
		before := tree(t, dir)
		count := n
		apply(t.Context(), []Changes{compare(t, dir, ".", want)}, faulty{n: &count, stop: true})
		now := tree(t, dir)
		for name := range before {
			if _, there := now[name]; !there && !holds(now, want) {
				t.Fatalf("killed after %d: %s is gone before all is written: %q", n, name, now)
			}
		}
		for name, content := range now {
			if strings.HasPrefix(name, tempPrefix) {
				past := time.Now().Add(-2 * abandoned)
				fatal.If(t, os.Chtimes(filepath.Join(dir, name), past, past))
			} else if content != before[name] && content != string(want[name]) {
				t.Fatalf("killed after %d: %s holds %q", n, name, content)
			}
		}
		fatal.If(t, Apply(t.Context(), compare(t, dir, ".", want)))
		for name := range tree(t, dir) {
			if strings.HasPrefix(name, tempPrefix) {
				t.Fatalf("killed after %d: %s is left", n, name)
			}
		}
	}
}

// holds reports whether a directory has all the files that were to be written to it.
func holds(now map[string]string, want map[string][]byte) bool {
	for name, content := range want {
		if now[name] != string(content) {
			return false
		}
	}
	return true
}

// TestUnusedDirectoriesGo lets the last of three directories fail. Each is the parent of the one before; all are made for the first.
func TestUnusedDirectoriesGo(t *testing.T) {
	dir := t.TempDir()
	var sets []Changes
	for _, path := range []string{"new/er/est", "new/er", "new"} {
		target := Dir{Base: dir, Path: path}
		sets = append(sets, Changes{target, []Change{{"a.go", Missing, nil, []byte(Header(target.Owner(owner)))}}})
	}
	n := 3 // writes
	if err := apply(t.Context(), sets, faulty{n: &n}); !errors.Is(err, errFault) {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

func TestReadOnlyDirectory(t *testing.T) {
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("permissions do not bind this user")
	}
	dir, want := drifted(t)
	changes := compare(t, dir, ".", want)
	fatal.If(t, os.Chmod(dir, 0o555))
	defer os.Chmod(dir, 0o755)
	before := tree(t, dir)
	if err := Apply(t.Context(), changes); !errors.Is(err, os.ErrPermission) {
		t.Errorf("got %v", err)
	}
	if got := tree(t, dir); !maps.Equal(got, before) {
		t.Errorf("left: %q", got)
	}
}
