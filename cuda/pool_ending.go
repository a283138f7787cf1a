package cuda

import (
	"errors"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// ending returns what a pool has obtained from the driver, step by step. If a step fails, the others run nevertheless, and the next call repeats the
// one that failed.
type ending struct{ steps []func() error }

func (e *ending) run() error {
	var errs []error
	var left []func() error
	for _, step := range e.steps {
		if err := step(); err != nil {
			errs, left = append(errs, err), append(left, step)
		}
	}
	e.steps = left
	return errors.Join(errs...)
}

// close returns run, or nil if there are no steps.
func (e *ending) close() func() error {
	if len(e.steps) == 0 {
		return nil
	}
	return e.run
}

// unfinished is the result of a Bind that failed after it had obtained something. It runs the steps that return what Bind obtained, first the Close of b. What fails
// is left to the pool, as Close of the result.
func unfinished(b poolimpl.Bound, err error, steps ...func() error) (poolimpl.Bound, error) {
	if b.Close != nil {
		steps = append([]func() error{b.Close}, steps...)
	}
	end := &ending{steps}
	if failed := end.run(); failed != nil {
		return poolimpl.Bound{Close: end.run}, errors.Join(err, failed)
	}
	return poolimpl.Bound{}, err
}
