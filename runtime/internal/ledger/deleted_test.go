package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
)

// A deleted file is made anew with the entries of all who live. Nobody can take meanwhile what others hold.
func TestDeleted(t *testing.T) {
	dir := privateDir(t)
	path := filepath.Join(dir, "Gpu.ledger")
	a, b, c := opened(t, dir, 100), opened(t, dir, 100), opened(t, dir, 100)
	take(t, a, 10, 10, 10)
	take(t, b, 20, 20, 20)
	take(t, c, 30, 30, 30)
	for round := range 3 {
		fatal.If(t, os.RemoveAll(dir))
		take(t, a, 41, 41, 0)
		if _, err := os.Stat(path); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		d := opened(t, dir, 100) // sees those who have not moved yet
		take(t, d, 40, 41, 40)
		take(t, b, 1, 1, 0)
		give(t, d, 40)
		fatal.If(t, d.Close())
		if round == 1 { // c has not moved in round 1: its entry is carried twice
			continue
		}
		give(t, c, 5)
		take(t, c, 5, 5, 5)
	}
	if got := fmt.Sprint(held(t, b)); got != "[10 20 30]" {
		t.Errorf("held are %s", got)
	}
}

// If somebody else has made the file anew, those of the old one still find each other, and what is too much has to go back before anyone takes more.
func TestMadeAnewByAnother(t *testing.T) {
	dir := privateDir(t)
	a, b := opened(t, dir, 100), opened(t, dir, 100)
	take(t, a, 10, 10, 10)
	take(t, b, 60, 60, 60)
	fatal.If(t, os.RemoveAll(dir))
	c := opened(t, dir, 100)
	take(t, c, 50, 50, 50) // it cannot know of the others
	take(t, a, 1, 1, 0)
	give(t, c, 20)
	take(t, c, 1, 1, 0)
	give(t, c, 1)
	take(t, b, 1, 1, 1)
}

// busy tries to take bytes, which must not be possible now.
func busy(t *testing.T, l *Ledger) {
	t.Helper()
	if n, _, err := l.Take(1, 1); n != 0 || !errors.Is(err, ErrBusy) {
		t.Fatalf("Take is %d and %v", n, err)
	}
}

// If the file is deleted again before all have moved, those who have not do not know what the others hold by
// now. They take nothing until the others have moved again, or are gone.
func TestDeletedTwice(t *testing.T) {
	dir := privateDir(t)
	a, b := opened(t, dir, 200), opened(t, dir, 200)
	take(t, a, 60, 60, 60)
	take(t, b, 10, 10, 10)
	for range 2 {
		fatal.If(t, os.RemoveAll(dir))
		take(t, a, 50, 50, 50) // a moves each time, b not yet
		c := opened(t, dir, 200)
		take(t, c, 30, 30, 30)
		fatal.If(t, os.RemoveAll(dir))
		busy(t, b)
		give(t, b, 5) // works, and is known to a as soon as b has moved
		take(t, a, 51, 51, 0)
		give(t, c, 30)
		fatal.If(t, c.Close())
		take(t, b, 5, 5, 5)
		give(t, a, 50)
	}
	take(t, b, 131, 131, 0)
	take(t, b, 130, 130, 130)
	if got := fmt.Sprint(held(t, a)); got != "[60 140]" {
		t.Errorf("held are %s", got)
	}
}

// A file that was overwritten, or cut off, is refused until it is deleted. Then the processes hold no more
// than the limit. If the entries were spoilt, nobody takes more until all have written theirs again.
func TestSpoiltAndDeleted(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"header":  func(path string) error { return overwrite(path, 'x', entrySize) },
		"cleared": func(path string) error { return overwrite(path, 0, entrySize) },
		"used":    func(path string) error { return patch(path, usedAt, 0) },
		"limit":   func(path string) error { return patch(path, limitAt, 1000) },
		"entries": func(path string) error { return overwrite(path, 'x', fileSize) },
		"all":     func(path string) error { return overwrite(path, 0, fileSize) },
		"cut off": func(path string) error { return os.Truncate(path, 0) },
	} {
		dir := privateDir(t)
		path := filepath.Join(dir, "Gpu.ledger")
		var all []*Ledger
		for range 5 {
			l := opened(t, dir, 100)
			take(t, l, 18, 18, 18)
			all = append(all, l)
		}
		fatal.If(t, spoil(path))
		for _, l := range all {
			if n, _, err := l.Take(1, 1); n != 0 || !errors.Is(err, ErrBadFile) {
				t.Errorf("%s: Take is %d, %v", name, n, err)
			}
		}
		if l, err := Open(Options{Dir: dir, Name: "Gpu", Limit: 100}); !errors.Is(err, ErrBadFile) {
			t.Errorf("%s: another process has opened it: %v, %v", name, l, err)
		}
		fatal.If(t, os.Remove(path))
		if name == "entries" || name == "all" || name == "cut off" {
			for _, l := range all[:4] {
				busy(t, l)
			}
			all[0], all[4] = all[4], all[0]
		}
		for i, l := range all {
			take(t, l, 11, 11, 0)
			if i == 2 {
				take(t, l, 10, 10, 10)
			}
		}
		if got := fmt.Sprint(held(t, all[0])); got != "[18 18 18 18 28]" {
			t.Errorf("%s: held are %s", name, got)
		}
	}
}

// overwrite writes bytes over the beginning of a file.
func overwrite(path string, b byte, n int) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(bytes.Repeat([]byte{b}, n))
	return errors.Join(err, f.Close())
}

// A process whose entry nobody can read holds up the others no longer than it lives.
func TestSpoiltAndEnded(t *testing.T) {
	dir := privateDir(t)
	path := filepath.Join(dir, "Gpu.ledger")
	a, b := opened(t, dir, 100), opened(t, dir, 100)
	take(t, a, 60, 60, 60)
	take(t, b, 40, 40, 40)
	fatal.If(t, errors.Join(overwrite(path, 'x', fileSize), os.Remove(path)))
	busy(t, a)
	if err := b.file.close(); err != nil { // as the system does
		t.Fatal(err)
	}
	b.file = nil
	take(t, a, 40, 40, 40)
}

// What is cut off after the file was looked at is an error as well, and no fault.
func TestCutOffMeanwhile(t *testing.T) {
	dir := privateDir(t)
	l, path := opened(t, dir, 100), filepath.Join(dir, "Gpu.ledger")
	defer os.Remove(path) // so that it can be closed
	fatal.If(t, os.Truncate(path, 0))
	if err := l.file.read(0, make([]byte, entrySize)); !errors.Is(err, ErrBadFile) {
		t.Errorf("read: %v", err)
	}
	if l.Rung() {
		t.Error("the bell was rung")
	}
	if err := l.file.write(offsetOf(0)+heldAt, native(1)); !errors.Is(err, ErrBadFile) {
		t.Errorf("write: %v", err)
	}
	if err := l.file.ring(); !errors.Is(err, ErrBadFile) {
		t.Errorf("ring: %v", err)
	}
	if n, _, err := l.Take(1, 1); n != 0 || !errors.Is(err, ErrBadFile) {
		t.Errorf("Take is %d, %v", n, err)
	}
}

// An entry that something else has cleared is written anew by its process.
func TestRestored(t *testing.T) {
	dir := privateDir(t)
	a, b := opened(t, dir, 100), opened(t, dir, 100)
	take(t, a, 60, 60, 60)
	fatal.If(t, patch(filepath.Join(dir, "Gpu.ledger"), offsetOf(0), 0))
	take(t, a, 1, 1, 1)
	take(t, b, 40, 40, 0)
	if got := fmt.Sprint(held(t, a)); got != "[0 61]" {
		t.Errorf("held are %s", got)
	}
}
