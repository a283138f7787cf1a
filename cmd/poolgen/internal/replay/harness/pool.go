package harness

import "time"

// Pool is one of the generated pools, described by the adapter.
type Pool struct {
	Item   uint64 // bytes of an item
	Single bool   // it hands out single items
	Open   func(Setup) (Instance, error)
}

// Setup is what a new pool is for.
type Setup struct {
	Slots   int // the blocks that are live at once
	Streams int // that they are allocated and freed on; 0: on none
}

// Instance is a new pool with a place for its live blocks.
type Instance struct {
	Play      func(*Part) error // runs events; several goroutines may, each with a part of its own
	Stats     func() Stats
	Meter     Meter
	Watch     func(func(reserved int64)) (stop func()) // tells of all that changes what is reserved
	Effective func() (allocator, reason string)
	Close     func() error
}

// Stats is what is asked of a pool's statistics, in bytes.
type Stats struct{ Reserved, PeakReserved, PeakLive int64 }

// Meter knows what the pool had others do for it: its source, and the driver.
type Meter interface {
	Calls() int64
	Time() time.Duration
}
