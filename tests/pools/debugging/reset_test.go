//go:build pooldebug && cudasim

package debugging

import (
	"errors"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	"github.com/poolgen/poolgen/cuda/sim"
	"github.com/poolgen/poolgen/tests/fatal"
)

// trimmed is a pool that outlives simulated machines.
type trimmed interface {
	Trim(keep int64) (int64, error)
}

// use uses a block, which a stream works on, and frees it on that stream and without one.
func use(t *testing.T, p streamed) {
	t.Helper()
	s, err := cuda.Device(0).NewStream(cuda.NonBlocking)
	fatal.If(t, err)
	for _, free := range []func() error{
		func() error {
			b, err := p.allocOn(s)
			return errors.Join(err, p.FreeOn(b, s))
		},
		func() error {
			b, err := p.Alloc(size)
			return errors.Join(err, p.Free(b))
		},
	} {
		if err := free(); err != nil {
			t.Error(err)
		}
	}
	if err := errors.Join(s.Synchronize(), s.Close()); err != nil {
		t.Error(err)
	}
}

// keepsOpen lists the pools that hold nothing of the driver after Trim(0): device_async keeps a stream until Close.
func keepsOpen() (list []streamed) {
	for _, p := range streams() {
		if p.name != "device deferred" {
			list = append(list, p)
		}
	}
	return list
}

// A pool that is trimmed and never closed leaves nothing behind, test after test.
func TestTrimmedPoolsLeaveNothing(t *testing.T) {
	for _, schedule := range []uint64{0, 42} {
		for _, p := range keepsOpen() {
			t.Run(p.name, func(t *testing.T) {
				for range 3 {
					sim.Reset(sim.Config{Devices: 1, Schedule: schedule, Hazards: true})
					use(t, p)
					if _, err := p.pool.(trimmed).Trim(0); err != nil {
						t.Error(err)
					}
					for _, f := range sim.Findings() {
						t.Error(f)
					}
				}
			})
		}
	}
}

// Reset takes away the memory of a pool on a device that was not trimmed. Calls fail then, and the program goes on.
func TestUntrimmedPoolsAfterReset(t *testing.T) {
	for _, p := range streams()[:3] {
		t.Run(p.name, func(t *testing.T) {
			for range 3 {
				sim.Reset(sim.Config{Devices: 1, Schedule: 42})
				s, err := cuda.Device(0).NewStream(cuda.NonBlocking)
				fatal.If(t, err)
				for range 3 {
					if b, err := p.allocOn(s); err == nil {
						_ = p.FreeOn(b, s)
					}
					if b, err := p.Alloc(size); err == nil {
						_ = p.Free(b)
					}
				}
				_ = s.Synchronize()
			}
		})
	}
}
