package poolimpl

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// ExportCode is a code that exported functions return to programs in other languages.
type ExportCode struct {
	Name string // in C, after POOLGEN_
	Doc  string
	err  error
}

// What callers in other languages can do wrong, but those in Go cannot.
var (
	// ErrExportDevice is an error of exported functions: the pool is not on the device.
	ErrExportDevice = errors.New("wrong device")
	// ErrExportStream is an error of exported functions: the handle is that of no stream of the device.
	ErrExportStream = errors.New("not a stream of the device")
	// ErrExportNull is an error of exported functions: there is no place for figures.
	ErrExportNull = errors.New("out is NULL")
)

// exportCodes are the codes, which are the places here, from 1 on. Code 0 is success. New codes are added before the last, so numbers stay.
var exportCodes = []ExportCode{
	{"LIMIT", "the limit is reached: the same call may succeed after frees", poolrt.ErrLimit},
	{"OUT_OF_MEMORY", "the device or the machine has no more memory", poolrt.ErrOutOfMemory},
	{"TOO_LARGE", "the pool can never serve the request", poolrt.ErrTooLarge},
	{"BAD_SIZE", "a size is negative, or beyond what an address can express", poolrt.ErrBadSize},
	{"FREED", "the block is free already", poolrt.ErrDoubleFree},
	{"FOREIGN", "no live block of the pool has that address and that size: nothing was freed", poolrt.ErrForeign},
	{"DEVICE", "the pool is not on that device, or there is no such device", ErrExportDevice},
	{"STREAM", "the handle is that of no stream of the device", ErrExportStream},
	{"IN_USE", "blocks are live, or the pool was used before", poolrt.ErrLive},
	{"CLOSED", "the pool is closed", poolrt.ErrClosed},
	{"ASLEEP", "the pool is asleep", poolrt.ErrAsleep},
	{"NO_DRIVER", "there is no CUDA driver", poolrt.ErrNoDriver},
	{"UNSUPPORTED", "the machine cannot do it", poolrt.ErrUnsupported},
	{"OTHER", "any other error: see its text", nil},
}

// ExportCodes returns the codes from 1 on.
func ExportCodes() []ExportCode { return append([]ExportCode(nil), exportCodes...) }

// ExportError returns the code of an error, and its text with a 0 at the end.
func ExportError(err error) (code int32, text string) {
	code = int32(len(exportCodes))
	for i, c := range exportCodes {
		if c.err != nil && errors.Is(err, c.err) {
			code = int32(i + 1)
			break
		}
	}
	return code, poolrt.Explain(err) + "\x00"
}

// ExportCount returns how many items a number of bytes takes; -1 for a negative number, which every pool refuses.
func ExportCount(bytes int64, item uintptr) int {
	n := bytes / int64(item)
	switch {
	case bytes < 0:
		return -1
	case bytes%int64(item) > 0:
		n++
	}
	return int(min(n, math.MaxInt)) // more than any pool serves, where an int has 32 bits
}

// ExportFits refuses a number of bytes that no block of a size has, in a call of a function.
func ExportFits(function string, bytes int64, block uintptr) error {
	switch {
	case bytes <= 0:
		return fmt.Errorf("poolgen: %s: %w: %d bytes, and a block has %d", function, poolrt.ErrBadSize, bytes, block)
	case bytes > int64(block):
		return fmt.Errorf("poolgen: %s: %w: %d bytes, and a block has %d", function, poolrt.ErrTooLarge, bytes, block)
	}
	return nil
}

// ExportItem returns the item at an address that a program in another language gives; nil for what is surely none. The pool decides whether it is a
// block of its own. The garbage collector must not see small numbers as pointers.
func ExportItem[T any](address uintptr) *T {
	const smallest = 4096
	if address < smallest {
		return nil
	}
	return *(**T)(unsafe.Pointer(&address))
}

// ExportItems returns n items at an address, as ExportItem does.
func ExportItems[T any](address uintptr, n int) []T {
	first := ExportItem[T](address)
	if first == nil || n < 0 || uintptr(n) > -address/unsafe.Sizeof(*first) {
		return nil
	}
	return unsafe.Slice(first, n)
}
