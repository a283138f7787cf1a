package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"testing"
)

// The committed trace is what the program writes. Only the compression may differ, with the version of Go.
func TestTraceIsCommitted(t *testing.T) {
	file, err := os.Open("../../../generated_examples/traces/testdata/vit_serve.csv.gz")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the traces are a module of their own, which is there in a checkout, and not in the module cache")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var trace bytes.Buffer
	if err := write(&trace); err != nil {
		t.Fatal(err)
	}
	if got, want := unpacked(t, &trace), unpacked(t, file); !bytes.Equal(got, want) {
		t.Errorf("%d bytes, the committed trace has %d", len(got), len(want))
	}
}

func unpacked(t *testing.T, r io.Reader) []byte {
	t.Helper()
	z, err := gzip.NewReader(r)
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// failing refuses to write.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.ErrUnsupported }

func TestWriteReportsErrors(t *testing.T) {
	if err := write(failing{}); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
}
