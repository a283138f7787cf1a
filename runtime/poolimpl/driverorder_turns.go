package poolimpl

import (
	"sync"
	"sync/atomic"
)

// turns has callers call the driver one after the other while there are many. In the driver they would meet at a lock, where threads sleep and wake up: there calls of
// several threads take many times as long as those of one. It is safe for concurrent use. As long as callers do not meet, a call costs one load.
type turns struct {
	crowded atomic.Bool // callers have met lately
	mu      sync.Mutex  // held for the time of a call while callers meet
	alone   int         // calls in a row that have met no other. On mu
}

// calm is the number of calls in a row without another caller after which they need no turns.
const calm = 1000

// met notes that two callers have met.
func (t *turns) met() {
	if !t.crowded.Load() {
		t.crowded.Store(true)
	}
}

// wait begins a turn, which ends with mu.Unlock.
func (t *turns) wait() {
	if !t.mu.TryLock() {
		t.mu.Lock()
		t.alone = 0
		return
	}
	if t.alone++; t.alone == calm {
		t.alone = 0
		t.crowded.Store(false)
	}
}

// allocInTurn and freeInTurn call the driver for a stream, in a turn.
//
//go:noinline
func (d *DriverBlocks) allocInTurn(s Stream, size, align int64) (Chunk, error) {
	d.turns.wait()
	defer d.turns.mu.Unlock()
	return d.source.AllocOn(s, size, align)
}

//go:noinline
func (d *DriverBlocks) freeInTurn(s Stream, c Chunk) error {
	d.turns.wait()
	defer d.turns.mu.Unlock()
	return d.source.FreeOn(s, c)
}
