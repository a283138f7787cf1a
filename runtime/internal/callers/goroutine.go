package callers

import (
	"bytes"
	"runtime"
	"strconv"
)

// Goroutine returns the number of the calling goroutine, as stack traces have it.
func Goroutine() uint64 {
	if n := number(); n > 0 {
		return n
	}
	return printed()
}

// printed is Goroutine by a stack trace. That takes microseconds: Go looks up the names of functions.
func printed() uint64 {
	var buf [64]byte
	line := buf[:runtime.Stack(buf[:], false)]
	line, _, _ = bytes.Cut(bytes.TrimPrefix(line, []byte("goroutine ")), []byte(" "))
	n, _ := strconv.ParseUint(string(line), 10, 64)
	return n
}
