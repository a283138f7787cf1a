package harness

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
)

// Event is one call of Alloc or Free.
type Event struct {
	Items  int    // to alloc; 0 when the pool's blocks are too small for the request
	Slot   uint32 // of the block
	Stream uint16
	Free   bool
	Shared bool // the block is freed by another goroutine than the one that allocates it
}

// Part is the events that one goroutine runs.
type Part struct {
	Events   []Event
	numbers  []int // of the events on the tape; nil: the same as here
	failed   []int // numbers of the events whose alloc failed, ascending
	firstErr error
	shared   *exchange
}

// exchange lets goroutines wait for blocks of each other.
type exchange struct {
	ready   []atomic.Bool // by slot: its alloc has ended
	stopped atomic.Bool   // one of them has given up
}

// errTooLarge is the failure of a request that no block of the pool can hold.
var errTooLarge = errors.New("larger than one block of the pool")

// number returns the number of an event on the tape.
func (p *Part) number(i int) int {
	if p.numbers == nil {
		return i
	}
	return p.numbers[i]
}

// Fail notes that the alloc of event i failed. A nil err stands for a request larger than a block.
func (p *Part) Fail(i int, err error) {
	if len(p.failed) == 0 {
		if err == nil {
			err = errTooLarge
		}
		p.firstErr = err
	}
	p.failed = append(p.failed, p.number(i))
}

// Refused returns the error of a run whose pool refused the free of its own block.
func (p *Part) Refused(i int, err error) error {
	return fmt.Errorf("event %d: the pool refused a valid free: %w", p.number(i), err)
}

// Publish tells the other goroutines that the alloc of a shared block has ended, successfully or not.
func (p *Part) Publish(slot uint32) { p.shared.ready[slot].Store(true) }

// Await waits until the alloc of a shared block has ended, or a goroutine has given up.
func (p *Part) Await(slot uint32) {
	for !p.shared.ready[slot].Load() && !p.shared.stopped.Load() {
		runtime.Gosched()
	}
}

// itemsOf returns the number of items of a request, or 0 if it cannot be served. Pools of spans round up to whole items.
func (p *Pool) itemsOf(bytes uint64) int {
	switch {
	case !p.Single:
		return int((bytes-1)/p.Item + 1)
	case bytes > p.Item:
		return 0
	}
	return 1
}

// whole returns the tape as one part.
func (t *Tape) whole(pool *Pool) *Part {
	part := &Part{Events: make([]Event, len(t.Codes))}
	for i, code := range t.Codes {
		e := Event{Slot: code >> 1, Free: code&1 != 0, Stream: t.On[i]}
		if !e.Free {
			e.Items = pool.itemsOf(t.Sizes[i])
		}
		part.Events[i] = e
	}
	return part
}

// deal divides the tape among goroutines: by streams, if there are as many, else by blocks. Each block gets its own slot, because goroutines run
// ahead of each other. deal also returns the number of slots.
func (t *Tape) deal(pool *Pool, goroutines int) (parts []*Part, slots int) {
	whole := t.whole(pool).Events
	owner, taken := make([]int, t.Slots), make([]int, t.Slots) // of the live block in a slot: who allocates it, and by which event
	shared := &exchange{}
	for range goroutines {
		parts = append(parts, &Part{shared: shared, numbers: []int{}})
	}
	place := make([]int, len(whole)) // of an alloc in its part
	for i, e := range whole {
		slot := e.Slot
		who := int(e.Stream) % goroutines
		if t.Streams < goroutines {
			if who = slots % goroutines; e.Free {
				who = owner[slot]
			}
		}
		part := parts[who]
		if e.Free {
			alloc := &parts[owner[slot]].Events[place[taken[slot]]]
			e.Slot, e.Shared = alloc.Slot, who != owner[slot]
			alloc.Shared = e.Shared
		} else {
			owner[slot], taken[slot], place[i] = who, i, len(part.Events)
			e.Slot = uint32(slots)
			slots++
		}
		part.Events, part.numbers = append(part.Events, e), append(part.numbers, i)
	}
	shared.ready = make([]atomic.Bool, slots)
	return parts, slots
}
