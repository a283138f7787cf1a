package ledger

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/poolgen/poolgen/tests/fatal"
)

// onLinux skips a test elsewhere, where Open has to refuse.
func onLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "linux" {
		return
	}
	if _, err := Open(Options{Dir: t.TempDir(), Name: "Gpu", Limit: 1}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("got %v, want ErrUnsupported", err)
	}
	t.Skip("ledgers need Linux")
}

// opened opens a ledger in a directory until the test ends.
func opened(t *testing.T, dir string, limit int64) *Ledger {
	t.Helper()
	l, err := Open(Options{Dir: dir, Name: "Gpu", Limit: limit, Program: "test"})
	fatal.If(t, err)
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// private makes a directory that only the user may enter.
func privateDir(t *testing.T) string {
	t.Helper()
	onLinux(t)
	dir := filepath.Join(t.TempDir(), "poolgen")
	fatal.If(t, os.Mkdir(dir, 0o700))
	return dir
}

// take takes bytes, of which there must be so many.
func take(t *testing.T, l *Ledger, need, want, expected int64) {
	t.Helper()
	if got, _, err := l.Take(need, want); err != nil || got != expected {
		t.Fatalf("Take(%d, %d) is %d and %v, want %d", need, want, got, err, expected)
	}
}

func give(t *testing.T, l *Ledger, n int64) {
	t.Helper()
	if given, err := l.Give(n); given != n || err != nil {
		t.Fatalf("Give(%d) is %d and %v", n, given, err)
	}
}

// held lists what the entries hold.
func held(t *testing.T, l *Ledger) (all []int64) {
	t.Helper()
	list, err := l.List()
	fatal.If(t, err)
	for _, e := range list {
		all = append(all, e.Held)
	}
	slices.Sort(all) // the order of a file that was made anew is that of those who came
	return all
}

// All together hold no more than the limit, and what one gives back another can take.
func TestShared(t *testing.T) {
	dir := privateDir(t)
	a, b := opened(t, dir, 100), opened(t, dir, 100)
	take(t, a, 10, 64, 64)
	take(t, b, 10, 64, 36) // all that is left
	take(t, b, 1, 1, 0)
	give(t, a, 60)
	take(t, b, 61, 61, 0)
	take(t, b, 20, 20, 20)
	if got := fmt.Sprint(held(t, a)); got != "[4 56]" {
		t.Errorf("held are %s", got)
	}
	fatal.If(t, b.Close())
	take(t, a, 96, 96, 96)
	if _, _, err := b.Take(1, 1); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if list, err := a.List(); err != nil || len(list) != 1 || !list[0].Own || list[0].PID != os.Getpid() || list[0].Program != "test" {
		t.Errorf("listed are %+v, %v", list, err)
	}
}

// Who waits is seen by others, who are woken; while somebody waits, others take no more than they need.
func TestWanted(t *testing.T) {
	dir := privateDir(t)
	a, b := opened(t, dir, 100), opened(t, dir, 100)
	take(t, a, 90, 90, 90)
	fatal.If(t, b.Want(30, 7))
	if w, err := a.Asked(); w != (Want{20, 7, fmt.Sprintf("process %d (test)", os.Getpid())}) || err != nil { // 10 are free
		t.Errorf("asked for are %+v, %v", w, err)
	}
	take(t, a, 1, 5, 1)
	give(t, a, 25)
	take(t, b, 30, 30, 30)
	fatal.If(t, b.Want(0, 0))
	if !a.Rung() {
		t.Error("nothing was heard of who waits")
	}
	if w, err := a.Asked(); w != (Want{}) || err != nil || a.Rung() {
		t.Errorf("asked for are still %+v, %v", w, err)
	}
	if list, _ := a.List(); list[0].Given != 25 || list[1].Given != 0 {
		t.Errorf("given are %+v", list)
	}
}

// Wait ends when another wants or gives bytes, and when its context does.
func TestWait(t *testing.T) {
	dir := privateDir(t)
	a, b := opened(t, dir, 100), opened(t, dir, 100)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	take(t, a, 100, 100, 100)
	asked := make(chan int64)
	go func() {
		defer close(asked)
		for {
			w, err := a.Asked()
			if err != nil {
				t.Error(err)
			}
			if w.Bytes > 0 {
				asked <- w.Bytes
			}
			if a.Wait(ctx) != nil {
				return
			}
		}
	}()
	if err := b.Want(130, 0); err != nil { // more than there is counts as all
		t.Fatal(err)
	}
	for n := range asked {
		if n != 100 {
			t.Errorf("asked for are %d", n)
		}
		cancel()
	}
}

// A wake-up between the look at the ledger and the wait is not lost: no wait is as long as it may be.
func TestWakeIsNotLost(t *testing.T) {
	dir := privateDir(t)
	a, b := opened(t, dir, 100), opened(t, dir, 100)
	if _, err := a.Asked(); err != nil {
		t.Fatal(err)
	}
	fatal.If(t, b.Want(130, 0))
	woken := &noWait{disk: a.file}
	a.mu.Lock()
	a.file = woken
	a.mu.Unlock()
	if table, err := b.read(b.file); err != nil || table.bell != 1 {
		t.Fatalf("the file has %+v, %v", table, err)
	}
	if err := a.Wait(t.Context()); err != nil || woken.heard != 0 {
		t.Errorf("Wait waits for a bell that has rung: %d, %v", woken.heard, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.Wait(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
	a.mu.Lock()
	a.file = woken.disk
	a.mu.Unlock()
}

// noWait notes what would be waited for.
type noWait struct {
	disk
	heard uint32
}

func (n *noWait) bell() (bell, error) { return noBell{n}, nil }

type noBell struct{ of *noWait }

func (n noBell) wait(heard uint32, _ time.Duration) { n.of.heard = heard }
func (noBell) close()                               {}

// A limit belongs to those who use the ledger; when nobody does, the next one sets it.
func TestLimit(t *testing.T) {
	dir := privateDir(t)
	a := opened(t, dir, 100)
	take(t, a, 100, 100, 100)
	_, err := Open(Options{Dir: dir, Name: "Gpu", Limit: 200})
	if !errors.Is(err, ErrBadFile) || !strings.Contains(fmt.Sprint(err), fmt.Sprintf("process %d", os.Getpid())) {
		t.Errorf("another limit: %v", err)
	}
	fatal.If(t, a.Close())
	b := opened(t, dir, 200)
	take(t, b, 200, 200, 200)
}

// What the file must be like is checked, and what is wrong is said.
func TestRefused(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"it does not begin as one":   func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("x", fileSize)), 0o600) },
		"it has 3 bytes":             func(path string) error { return os.WriteFile(path, []byte("abc"), 0o600) },
		"other users have access to": func(path string) error { return os.WriteFile(path, nil, 0o644) },
		"run chmod go= on it":        func(path string) error { return os.Chmod(filepath.Dir(path), 0o755) },
		"nor a regular file":         func(path string) error { return os.Mkdir(path+"x", 0o700) },
		"too many levels":            func(path string) error { return os.Symlink("elsewhere", path) },
		"its version is 99":          func(path string) error { return withHeader(path, versionAt, 99) },
		"it claims 600 entries":      func(path string) error { return withHeader(path, usedAt, 600) },
		"holds -1 and wants 0 bytes": func(path string) error {
			return errors.Join(withHeader(path, usedAt, 1), patch(path, entrySize+heldAt, -1))
		},
		"a name has 1 to 64 letters": nil,
	} {
		dir := privateDir(t)
		o := Options{Dir: dir, Name: "Gpu", Limit: 1}
		if spoil == nil {
			o.Name = "../Gpu"
		} else if err := spoil(filepath.Join(dir, "Gpu.ledger")); err != nil {
			t.Fatal(err)
		}
		if name == "nor a regular file" {
			o.Dir = filepath.Join(dir, "Gpu.ledgerx", "y")
			fatal.If(t, os.Mkdir(o.Dir, 0o700))
			fatal.If(t, os.Mkdir(filepath.Join(o.Dir, "Gpu.ledger"), 0o700))
			name = "is a directory"
		}
		if l, err := Open(o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
			if err == nil {
				_ = l.Close()
			}
		}
	}
}

// withHeader makes a ledger, and changes a field of its header.
func withHeader(path string, at int64, v int64) error {
	l, err := Open(Options{Dir: filepath.Dir(path), Name: "Gpu", Limit: 1})
	if err != nil {
		return err
	}
	return errors.Join(l.Close(), patch(path, at, v))
}

func patch(path string, at, v int64) error {
	f, err := openDisk(filepath.Dir(path), "Gpu")
	if err != nil {
		return err
	}
	return errors.Join(f.write(at, native(v)), f.close())
}

// A process that was stopped while it decided makes others fail that want to decide, and no others: what these give and want stands in the ledger at once.
func TestStopped(t *testing.T) {
	dir := privateDir(t)
	a, b := opened(t, dir, 100), opened(t, dir, 100)
	take(t, a, 60, 60, 60)
	fatal.If(t, b.Want(50, 7))
	if locked, err := b.file.lock(); err != nil || !locked {
		t.Fatal(locked, err)
	}
	stuck := make(chan error)
	go func() {
		_, err := a.Room(time.Hour) // nor are frees held up by who waits for it
		stuck <- err
	}()
	if n, _, err := a.Take(1, 1); n != 0 || !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), fmt.Sprintf("processes %d ", os.Getpid())) {
		t.Errorf("Take is %d, %v", n, err)
	}
	if w, err := a.Heard(); w.Bytes != 10 || w.Priority != 7 || err != nil {
		t.Errorf("heard are %+v, %v", w, err)
	}
	give(t, a, 30)
	fatal.If(t, a.Want(80, 3))
	if table, err := b.read(b.file); err != nil || table.room() != 70 || table.entries[0].wanted != 80 || table.entries[0].given != 30 || !b.Rung() {
		t.Errorf("the file has %+v, %v", table, err)
	}
	fatal.If(t, b.file.unlock())
	if err := <-stuck; err != nil {
		t.Error(err)
	}
	take(t, a, 70, 70, 70)
}

// The ledger has a fixed number of entries.
func TestFull(t *testing.T) {
	dir := privateDir(t)
	var last *Ledger
	for range entries {
		last = opened(t, dir, 100)
	}
	if l, err := Open(Options{Dir: dir, Name: "Gpu", Limit: 100}); !errors.Is(err, ErrFull) {
		t.Errorf("one more: %v, %v", l, err)
	}
	fatal.If(t, last.Close())
	opened(t, dir, 100)
}
