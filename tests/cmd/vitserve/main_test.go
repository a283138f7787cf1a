package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
)

// The committed trace is what the program writes. Only the compression may differ, with the version of Go.
func TestTraceIsCommitted(t *testing.T) {
	file, err := os.Open("../../../generated_examples/traces/testdata/vit_serve.csv.gz")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the traces are a module of their own, which is there in a checkout, and not in the module cache")
	}
	fatal.If(t, err)
	defer file.Close()
	var trace bytes.Buffer
	fatal.If(t, write(&trace))
	if got, want := unpacked(t, &trace), unpacked(t, file); !bytes.Equal(got, want) {
		t.Errorf("%d bytes, the committed trace has %d", len(got), len(want))
	}
}

func unpacked(t *testing.T, r io.Reader) []byte {
	t.Helper()
	z, err := gzip.NewReader(r)
	fatal.If(t, err)
	all, err := io.ReadAll(z)
	fatal.If(t, err)
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
