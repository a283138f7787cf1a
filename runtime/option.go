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

// WithLimit sets the limit of the pool to the given number of bytes, or of numbers for a pool of numbered resources. If the number is negative, or above max_limit of
// the pool file, which by default is its limit, NewFooPool fails with [ErrBadSize]. Method SetLimit changes the limit of a pool in use.
func WithLimit(bytes int64) Option { return func(s *registry.Settings) { s.Limit = bytes } }

// WithChunkSize sets the usual size of a chunk or, in a pool whose memory comes by pages, of a page: what the pool obtains from the allocator at a time. It is rounded
// up to the allocator's granularity. NewFooPool fails with [ErrBadSize] if the size is below chunk_size of the pool file, for which the code was generated, if it is
// above the largest limit that may be set, or above the limit of the budget, or if the suballocator cannot divide chunks of that size; and with [ErrUnsupported] if
// the pool divides no chunks: with suballocator none, and with allocator none.
func WithChunkSize(bytes int64) Option { return func(s *registry.Settings) { s.Chunk = bytes } }

// WithPrime sets how many bytes the pool reserves when it is created, in place of prime in the pool file. All or nothing: NewFooPool fails with [ErrLimit] or
// [ErrOutOfMemory] if they cannot be had; where the limit ends within a chunk or a page, whole ones up to there are enough. It fails with [ErrBadSize] for a
// negative number, and with [ErrUnsupported] if the pool divides no chunks. Each pool of a device: each reserves as many, on its first use. Method Prime reserves
// memory for a pool in use.
func WithPrime(bytes int64) Option { return func(s *registry.Settings) { s.Prime = bytes } }

// WithAllocator chooses where the memory of the pool comes from: one of the allocators that the pool file lists, by its name there. Without it the pool has the first
// of them. NewFooPool fails with [ErrUnsupported] for any other name, and like any use of the pool if neither the allocator nor a fallback works on the machine.
// Method Requested returns the choice, and Effective what is in force. The blocks have the same Go types whatever the allocator.
func WithAllocator(name string) Option { return func(s *registry.Settings) { s.Allocator = name } }

// TrimPolicy says when a pool returns empty chunks to the allocator by itself: on frees, on other calls that leave the fast path, and on Poll. In the pool file it
// is the key trim.
type TrimPolicy struct {
	Keep   int64         // least number of bytes that stay reserved
	Idle   time.Duration // how long a chunk has been empty before it is returned; 0: it is returned at once
	Growth bool          // return chunks only before the pool would reserve more than its peak
}

// WithTrim replaces the trim policy of the pool file; nil ends it, so the pool keeps all chunks until Trim. The policy is copied.
//
// Frees see that they empty a chunk only where the pool file has trim, without when: growth. Other pools take policies without Idle: with Growth they behave as
// under a policy of the file. Without Growth they return empty chunks beyond Keep late: on an allocation that leaves the fast path, on Poll and on Reset.
//
// NewFooPool fails with [ErrBadSize] if Keep or Idle is negative, or Keep above the largest limit that may be set. It fails with [ErrUnsupported] for Idle with
// Growth, for Idle where frees do not see what they empty, and if the pool has a magazine or divides no chunks.
func WithTrim(p *TrimPolicy) Option {
	if p != nil {
		own := *p
		p = &own
	}
	return func(s *registry.Settings) { s.Trim = p }
}

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
