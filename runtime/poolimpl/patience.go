package poolimpl

import (
	"sync/atomic"
	"time"
)

// Patience is how many blocks a processor allocates before it owns something, which others take from it by [Synchronize]. So the cost of that is small in
// comparison. The patience doubles with each owner who has owned for less than a second, up to 256 times.
type Patience struct {
	least   uint32
	now     atomic.Uint32
	doubled uint      // how often the patience has doubled
	began   time.Time // when there was an owner last
}

const (
	soon       = time.Second
	maxDoubled = 8
)

// Set sets the least patience, in blocks, before all other calls.
func (p *Patience) Set(least uint32) {
	p.least = least
	p.now.Store(least)
}

// IsOver reports whether n blocks are enough.
func (p *Patience) IsOver(n uint32) bool { return n >= p.now.Load() }

// Begin says that there is an owner. Calls of Begin and End must not overlap each other.
func (p *Patience) Begin() { p.began = time.Now() }

// End says that there is an owner no more.
func (p *Patience) End() {
	if time.Since(p.began) > soon {
		p.doubled = 0
	} else {
		p.doubled = min(p.doubled+1, maxDoubled)
	}
	p.now.Store(p.least << p.doubled)
}
