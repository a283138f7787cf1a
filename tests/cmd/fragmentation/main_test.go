package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/internal/synthetic"
)

// A file has the whole trace of its kind and seed. What cannot be written is an error.
func TestFilesHaveTheTraces(t *testing.T) {
	dir := t.TempDir()
	for _, kind := range synthetic.Kinds {
		var want bytes.Buffer
		fatal.If(t, synthetic.Write(&want, kind, 7))
		file := filepath.Join(dir, kind+".csv")
		fatal.If(t, write(file, kind, 7))
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s: %d bytes, want %d, %v", kind, len(got), want.Len(), err)
		}
	}
	if err := write(filepath.Join(dir, "missing", "a.csv"), synthetic.Kinds[0], 7); err == nil {
		t.Error("a file is written into a directory that does not exist")
	}
	if err := write(filepath.Join(dir, "b.csv"), "other", 7); err == nil {
		t.Error("a trace of an unknown kind is written")
	}
}
