package poolimpl

import "sync"

// turns has callers call the driver one after the other while there are many: while terms.crowded is set. In the driver they would meet at a lock, where threads sleep
// and wake up: there calls of several threads take many times as long as those of one. It is safe for concurrent use. As long as callers do not meet, a call costs one
// load.
type turns struct {
	mu    sync.Mutex // held for the time of a call while callers meet
	alone int        // calls in a row that have met no other. On mu
}

// calm is the number of calls in a row without another caller after which they need no turns.
const calm = 1000

// met notes that two callers have met.
//
//go:noinline
func (d *DriverBlocks) met() {
	if !d.terms.crowded.Load() {
		d.terms.crowded.Store(true)
	}
}

// wait begins a turn, which ends with turns.mu.Unlock.
func (d *DriverBlocks) wait() {
	t := &d.turns
	if !t.mu.TryLock() {
		t.mu.Lock()
		t.alone = 0
		return
	}
	if t.alone++; t.alone == calm {
		t.alone = 0
		d.terms.crowded.Store(false)
	}
}

// allocInTurn and freeInTurn call the driver for a stream, in a turn.
func (d *DriverBlocks) allocInTurn(s Stream, size, align int64) (Chunk, error) {
	d.wait()
	defer d.turns.mu.Unlock()
	return d.source.AllocOn(s, size, align)
}

func (d *DriverBlocks) freeInTurn(s Stream, c Chunk) error {
	d.wait()
	defer d.turns.mu.Unlock()
	return d.source.FreeOn(s, c)
}
