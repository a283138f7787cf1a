package poolrt

import (
	"sync/atomic"
	"time"

	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// Option makes one pool differ from its pool file, when it is created.
type Option func(*registry.Settings)

// NoDevice stands for no device. No number that OnDevice may get is the same.
const NoDevice = -1 << 31

// WithName names the pool, in errors, events and statistics.
func WithName(name string) Option { return func(s *registry.Settings) { s.Name = name } }

// WithLimit lowers the pool's limit to the given number of bytes. To raise it is refused with [ErrBadSize].
func WithLimit(bytes int64) Option { return func(s *registry.Settings) { s.Limit = bytes } }

// OnDevice puts the pool on a device. Pools of host memory and of numbers, which are on none, refuse it with [ErrUnsupported].
func OnDevice(index int) Option { return func(s *registry.Settings) { s.Device = index } }

// Meter counts and times what pools have others do for them: calls of their source for chunks and pages, and calls of the driver about
// the order of streams. The rest of the time that an operation takes is the pool's own. Several pools may share a meter. The zero value
// is ready to use. Safe for concurrent use.
type Meter struct {
	calls, ns atomic.Int64
}

// WithMeter gives the pool a meter. It costs reading the clock twice for each of the calls it counts, none of which is on a fast path,
// and nothing otherwise.
func WithMeter(m *Meter) Option {
	return func(s *registry.Settings) {
		s.Meter = nil
		if m != nil {
			s.Meter = m
		}
	}
}

// Calls returns how many calls have ended: each chunk obtained or returned is one, pages that are mapped together are one, and so is
// each question or request about a stream. One call may be several of the driver.
func (m *Meter) Calls() int64 { return m.calls.Load() }

// Time returns how long these calls took in all.
func (m *Meter) Time() time.Duration { return time.Duration(m.ns.Load()) }

// Count counts one call that took so long. Pools do so by themselves.
func (m *Meter) Count(took time.Duration) {
	m.calls.Add(1)
	m.ns.Add(int64(took))
}
