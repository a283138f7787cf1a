// Package sleep shows a pool that gives its device memory to others for a while. The weights of a model keep their addresses and their values, so captured
// graphs and pointers on the device stay valid.
//
// The tests run on a GPU, and without one on the simulated driver:
//
//	go test -tags cudasim ./generated_examples/sleep
package sleep

import (
	"context"
	"errors"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Yield gives the device memory of all weights to others while f runs. If it fails because memory lacks afterwards, call Wake of the pool when there is some.
func Yield(ctx context.Context, f func() error) error {
	p := DefaultWeightPool()
	if err := p.Sleep(ctx); err != nil && !errors.Is(err, poolrt.ErrNotReturned) {
		return err // the pool is awake, and nothing has changed
	}
	return errors.Join(f(), p.Wake(ctx))
}
