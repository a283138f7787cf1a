package cuda

import "errors"

// ending gives back what a pool took of the driver, step by step. A step that fails is no reason to leave the others out, and is
// taken again by the next call.
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
