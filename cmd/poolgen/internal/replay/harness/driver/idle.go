//go:build !cudasim

package driver

import (
	"errors"

	"github.com/poolgen/poolgen/cuda"
)

// Work is work on streams that takes a number of events, which only the simulated driver has.
type Work struct{}

// Busy fails: the work of a device takes as long as it takes.
func Busy([]cuda.Stream, int) (*Work, error) {
	return nil, errors.New("work takes a number of events on the simulated driver only: set GOFLAGS=-tags=cudasim")
}

// Queue is never called.
func (*Work) Queue(int) error { return nil }

// Tick is never called.
func (*Work) Tick() {}
