package registry

import "time"

// Settings is what the options of a pool set.
type Settings struct {
	Name   string
	Limit  int64
	Device int
	Meter  Meter // nil: nobody counts
}

// Meter counts calls of a pool's source and driver, each with the time that it took.
type Meter interface{ Count(time.Duration) }
