package harness

import "time"

// Pool is one of the generated pools, described by the adapter.
type Pool struct {
	Item   uint64 // bytes of an item
	Single bool   // each block is a single item
	Open   func(Setup) (Instance, error)
}

// Setup describes the use of a new pool.
type Setup struct {
	Slots   int // the blocks that are live at once
	Streams int // on which they are allocated and freed; 0: none
}

// Instance is a new pool with a place for its live blocks.
type Instance struct {
	Play      func(*Part) error              // runs events; several goroutines may, each with a part of its own
	Busy      func(events int) (Work, error) // makes work on the streams take so many events; nil without streams
	Stats     func() Stats
	Meter     Meter
	Watch     func(func(reserved int64)) (stop func()) // calls f with the reserved bytes whenever they change
	Effective func() (allocator, reason string)
	Close     func() error
}

// Work keeps streams busy. Queue queues work on the stream with an index, and Tick counts an event.
type Work interface {
	Queue(stream int) error
	Tick()
}

// Stats are the statistics of a pool that a replay needs, in bytes.
type Stats struct{ Reserved, PeakReserved, PeakLive int64 }

// Meter counts and times the pool's calls of its source and the driver.
type Meter interface {
	Calls() int64
	Time() time.Duration
}
