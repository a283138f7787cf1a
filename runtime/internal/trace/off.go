//go:build !pooltrace

package trace

import "io"

// On reports whether the program was built with the tag pooltrace.
const On = false

// Start fails with ErrUntraced.
func Start(io.Writer, Recording, func() []string) (stop func() error, err error) {
	return nil, ErrUntraced
}

// SetFlightRecorder fails with ErrUntraced.
func SetFlightRecorder(int) error { return ErrUntraced }

// SetSampling fails with ErrUntraced.
func SetSampling(int) error { return ErrUntraced }
