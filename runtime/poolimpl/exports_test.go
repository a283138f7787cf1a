package poolimpl

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Each code is that of its own error, also of one that wraps it; what has no code is the last one.
func TestExportError(t *testing.T) {
	codes := ExportCodes()
	for i, c := range codes {
		err := c.err
		if err == nil {
			err = poolrt.ErrBadAlignment
		}
		for _, err := range []error{err, fmt.Errorf("call: %w", err), &poolrt.PoolError{Err: err}} {
			code, text := ExportError(err)
			if code != int32(i+1) || !strings.HasSuffix(text, "\x00") || strings.Count(text, "\x00") != 1 || len(text) < 5 {
				t.Errorf("%s: %v has code %d, %q", c.Name, err, code, text)
			}
		}
	}
	if codes[len(codes)-1].err != nil {
		t.Error("the last code is that of a certain error")
	}
}

func TestExportCount(t *testing.T) {
	for _, test := range []struct {
		bytes int64
		item  uintptr
		want  int64
	}{{0, 1, 0}, {1, 1, 1}, {1, 12, 1}, {12, 12, 1}, {13, 12, 2}, {math.MaxInt64, 2, math.MaxInt64/2 + 1}, {math.MaxInt64, 1, math.MaxInt64}, {-1, 1, -1}, {math.MinInt64, 12, -1}} {
		if got := ExportCount(test.bytes, test.item); got != int(min(test.want, math.MaxInt)) {
			t.Errorf("%d bytes are %d items of %d, want %d", test.bytes, got, test.item, test.want)
		}
	}
}

func TestExportFits(t *testing.T) {
	for bytes, want := range map[int64]int32{-1: 4, 0: 4, 1: 0, 12: 0, 13: 3, math.MaxInt64: 3} {
		code := int32(0)
		if err := ExportFits("cell_free", bytes, 12); err != nil {
			code, _ = ExportError(err)
		}
		if code != want {
			t.Errorf("%d bytes in a block of 12: code %d, want %d", bytes, code, want)
		}
	}
}

// What cannot be a block is none, and nothing of it is touched.
func TestExportItems(t *testing.T) {
	block := make([]uint64, 4)
	at := uintptr(unsafe.Pointer(unsafe.SliceData(block)))
	if got := ExportItems[uint64](at, 4); unsafe.SliceData(got) != &block[0] || len(got) != 4 || ExportItem[uint64](at) != &block[0] {
		t.Errorf("%p, want %p", got, block)
	}
	for _, test := range []struct {
		address uintptr
		n       int
	}{{0, 1}, {16, 1}, {at, -1}, {at, math.MaxInt}, {^uintptr(0) - 15, 3}, {1 << 20, math.MaxInt / 2}} {
		if got := ExportItems[uint64](test.address, test.n); got != nil {
			t.Errorf("%d items at %#x: a slice of %d", test.n, test.address, len(got))
		}
	}
}
