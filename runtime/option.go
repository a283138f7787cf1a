package poolrt

import (
	"sync/atomic"
	"time"

	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// Option makes one pool differ from its pool file. NewFooPool takes options; of two options of the same kind the last one counts.
type Option func(*registry.Settings)

// WithName sets the name of the pool in errors, events and statistics. By default the name is that of the package and the pool, such as "scene.Vertex". If another
// pool that [Pools] lists has the name, a number follows: see [PoolInfo]. An empty name changes nothing.
func WithName(name string) Option {
	return func(s *registry.Settings) {
		if name != "" {
			s.Name = name
		}
	}
}

// WithLimit lowers the limit of the pool to the given number of bytes, or of numbers for a pool of numbered resources. If the number is negative, or above the
// limit of the pool file, NewFooPool fails with [ErrBadSize].
func WithLimit(bytes int64) Option { return func(s *registry.Settings) { s.Limit = bytes } }

// OnDevice chooses the device of the pool, by the number that the CUDA driver gives the device. NewFooPool fails with [ErrUnsupported] if there is no such device,
// if the pool is of host memory or of numbers, or if the pool file says device: each.
func OnDevice(index int) Option { return func(s *registry.Settings) { s.Device = index } }

// Meter counts and times two kinds of calls that pools make: calls of the allocator for chunks and pages, and calls of the driver about the order of streams. Time
// that an operation of a pool takes beyond these calls is the pool's own.
//
// The zero Meter is ready to use. Several pools may share one. Safe for concurrent use. A Meter must not be copied.
type Meter struct {
	calls, ns atomic.Int64
}

// WithMeter has the pool count its calls in m; a nil m counts nothing. The pool then reads the clock twice for each call that is counted. No such call is on the
// fast path.
func WithMeter(m *Meter) Option {
	return func(s *registry.Settings) {
		s.Meter = nil
		if m != nil {
			s.Meter = m
		}
	}
}

// Calls returns the number of calls that have ended. Each chunk that is obtained or returned is one call, pages that are mapped together are one, and each
// query of a stream is one. One call here may be several calls of the driver.
func (m *Meter) Calls() int64 { return m.calls.Load() }

// Time returns how long the calls that have ended took in all.
func (m *Meter) Time() time.Duration { return time.Duration(m.ns.Load()) }

// Count counts one call that took the given time. Pools call it; programs need not.
func (m *Meter) Count(took time.Duration) {
	m.calls.Add(1)
	m.ns.Add(int64(took))
}
