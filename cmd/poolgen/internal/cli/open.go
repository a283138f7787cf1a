package cli

import (
	"context"
	"os"
)

// readFile opens a file and reads it. The file may be a pipe to which nobody writes: when ctx ends, so does the wait for it.
func readFile[T any](ctx context.Context, path string, read func(*os.File) (T, error)) (T, error) {
	var none T
	f, err := until(ctx, func() (*os.File, error) { return os.Open(path) })
	if err != nil {
		return none, err
	}
	defer f.Close()
	defer context.AfterFunc(ctx, func() { f.Close() })() // ends a read of a pipe
	found, err := read(f)
	if ctx.Err() != nil { // then err is about the closed file, if the reader tells at all
		return none, ctx.Err()
	}
	return found, err
}

// until calls a function that may wait for other programs and takes no context, and waits until it returns or ctx ends. In the second case, the program
// is about to exit, and the call is left behind.
func until[T any](ctx context.Context, call func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := call()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
