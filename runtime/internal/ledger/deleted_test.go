package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
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
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		take(t, a, 41, 41, 0)
		if _, err := os.Stat(path); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		d := opened(t, dir, 100) // sees those who have not moved yet
		take(t, d, 40, 41, 40)
		take(t, b, 1, 1, 0)
		give(t, d, 40)
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
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
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	c := opened(t, dir, 100)
	take(t, c, 50, 50, 50) // it cannot know of the others
	take(t, a, 1, 1, 0)
	give(t, c, 20)
	take(t, c, 1, 1, 0)
	give(t, c, 1)
	take(t, b, 1, 1, 1)
}

// A file that is deleted twice before all have moved takes nobody's entry along.
func TestDeletedTwice(t *testing.T) {
	dir := privateDir(t)
	a, b := opened(t, dir, 100), opened(t, dir, 100)
	take(t, a, 60, 60, 60)
	take(t, b, 10, 10, 10)
	for range 2 {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		take(t, a, 31, 31, 0) // a moves each time, b not yet
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	take(t, b, 31, 31, 0)
	take(t, b, 30, 30, 30)
	if got := fmt.Sprint(held(t, a)); got != "[40 60]" {
		t.Errorf("held are %s", got)
	}
}

// A file that was cut off, or overwritten, is refused until it is deleted. What the process holds is not forgotten.
func TestSpoilt(t *testing.T) {
	dir := privateDir(t)
	path := filepath.Join(dir, "Gpu.ledger")
	for name, spoil := range map[string]func() error{
		"cut off":     func() error { return os.Truncate(path, 100) },
		"overwritten": func() error { return patch(path, magicAt, 0) },
		"limit":       func() error { return patch(path, limitAt, 1000) },
	} {
		a, b := opened(t, dir, 100), opened(t, dir, 100)
		take(t, a, 60, 60, 60)
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if n, _, err := a.Take(1, 1); n != 0 || !errors.Is(err, ErrBadFile) {
			t.Errorf("%s: Take is %d, %v", name, n, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		take(t, a, 1, 1, 1)
		take(t, b, 40, 40, 0)
		take(t, b, 39, 39, 39)
		if err := errors.Join(a.Close(), b.Close()); err != nil {
			t.Error(err)
		}
	}
}

// What is cut off after the file was looked at is an error as well, and no fault.
func TestCutOffMeanwhile(t *testing.T) {
	dir := privateDir(t)
	l, path := opened(t, dir, 100), filepath.Join(dir, "Gpu.ledger")
	defer os.Remove(path) // so that it can be closed
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if err := l.file.read(0, make([]byte, entrySize)); !errors.Is(err, ErrBadFile) {
		t.Errorf("read: %v", err)
	}
	if l.Rung() {
		t.Error("the bell was rung")
	}
	if err := l.file.write(offsetOf(0)+heldAt, native(1)); err != nil {
		t.Errorf("write: %v", err)
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
	if err := patch(filepath.Join(dir, "Gpu.ledger"), offsetOf(0), 0); err != nil {
		t.Fatal(err)
	}
	take(t, a, 1, 1, 1)
	take(t, b, 40, 40, 0)
	if got := fmt.Sprint(held(t, a)); got != "[0 61]" {
		t.Errorf("held are %s", got)
	}
}
