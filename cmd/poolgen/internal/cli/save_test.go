package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file is written whole or stays unchanged, and nothing remains beside it.
func TestSaveWritesAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	p := &Process{Dir: dir}
	full := errors.New("disk full")
	write := func(text string, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			_, wrong := io.WriteString(w, text)
			return errors.Join(wrong, err)
		}
	}
	holds := func(want string) {
		t.Helper()
		got, err := os.ReadFile(filepath.Join(dir, "a.txt"))
		if err != nil || string(got) != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	if err := p.save("a.txt", write("half", full)); !errors.Is(err, full) || !strings.HasPrefix(err.Error(), "write a.txt: ") {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "a.txt")); err == nil {
		t.Error("a file that was not written whole is there")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
	if err := p.save("a.txt", write("one", nil)); err != nil {
		t.Error(err)
	}
	holds("one")
	if err := p.save("a.txt", write("half", full)); !errors.Is(err, full) {
		t.Error(err)
	}
	holds("one")
	if err := os.Symlink("a.txt", filepath.Join(dir, "b.txt")); err == nil {
		if err := p.save("b.txt", write("two", nil)); err != nil {
			t.Error(err)
		}
		holds("two")
	}
	for link, to := range map[string]string{"c.txt": "d.txt", "d.txt": "e.txt", "f.txt": "g.txt", "g.txt": "f.txt"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip("no links here: ", err)
		}
	}
	if err := p.save("c.txt", write("three", nil)); err != nil {
		t.Error(err)
	}
	if info, err := os.Lstat(filepath.Join(dir, "e.txt")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the file behind two links: %v, %v", info, err)
	}
	if err := p.save("f.txt", write("round", nil)); err == nil {
		t.Error("links that lead to each other are written to")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 7 {
		t.Errorf("%v, %v", entries, err)
	}
	if err := p.save(os.DevNull, write("gone", nil)); err != nil {
		t.Error(err)
	}
}
