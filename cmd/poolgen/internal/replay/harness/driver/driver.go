// Package driver has what a replay needs from the CUDA driver besides pools.
package driver

import (
	"errors"

	"github.com/poolgen/poolgen/cuda"
)

// Name is the driver's library; "simulator" for the simulated one, and "" without any.
func Name() string { return cuda.LibraryPath() }

// Streams makes n streams of a device, and a function that ends them.
func Streams(device, n int) (streams []cuda.Stream, end func() error, err error) {
	end = func() error {
		var errs []error
		for _, s := range streams {
			errs = append(errs, s.Close())
		}
		return errors.Join(errs...)
	}
	for range n {
		s, err := cuda.Device(device).NewStream(cuda.NonBlocking)
		if err != nil {
			return nil, nil, errors.Join(err, end())
		}
		streams = append(streams, s)
	}
	return streams, end, nil
}
