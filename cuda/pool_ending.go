package cuda

import "errors"

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
