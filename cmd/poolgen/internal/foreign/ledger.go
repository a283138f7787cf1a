package foreign

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/poolgen/poolgen/internal/figure"
)

// ledger turns records about addresses into events.
type ledger struct {
	most   int
	next   uint32           // id of the next block
	blocks map[uint64]block // the last one at each address
	events []Event
	older  []older // blocks that were live before the first event
	start  uint64  // when that was, in microseconds of any clock
	last   uint64  // when the last one was
	began  bool

	unseen, again, empty, failed int // frees that were not recorded; frees of free blocks; requests of 0 bytes; requests that were not served
}

// block is one at an address.
type block struct {
	bytes uint64 // 0: it is free
	id    uint32
}

// older is an allocation from before the recording.
type older struct {
	addr uint64
	Event
}

func newLedger(most int) *ledger { return &ledger{most: most, blocks: map[uint64]block{}} }

// moment is the time of a record and its line.
type moment struct {
	stream, micros uint64
	line           int
}

// alloc notes a block. If another block is live at its address, that block was freed unseen.
func (l *ledger) alloc(addr, bytes uint64, m moment) error {
	if bytes == 0 {
		l.empty++
		return nil
	}
	if l.live(addr) {
		l.unseen++
		if err := l.end(addr, m); err != nil {
			return err
		}
	}
	return l.add(l.begin(addr, bytes), m)
}

// free notes that a block is free. If the address is new, the block has been live since before the first event; if the last block there is free
// already, this free is left out.
func (l *ledger) free(addr, bytes uint64, m moment) error {
	switch _, known := l.blocks[addr]; {
	case l.live(addr):
	case bytes == 0:
		return nil
	case known:
		l.again++
		return nil
	default:
		l.before(addr, bytes, m)
	}
	return l.end(addr, m)
}

// live reports whether an address is that of a live block.
func (l *ledger) live(addr uint64) bool { return l.blocks[addr].bytes > 0 }

// begin makes a block live.
func (l *ledger) begin(addr, bytes uint64) Event {
	e := Event{ID: l.next, Bytes: bytes}
	l.blocks[addr] = block{bytes, e.ID}
	l.next++
	return e
}

// end frees a live block.
func (l *ledger) end(addr uint64, m moment) error {
	id := l.blocks[addr].id
	l.blocks[addr] = block{id: id}
	return l.add(Event{Free: true, ID: id}, m)
}

// before notes a block that was live before the first event.
func (l *ledger) before(addr, bytes uint64, m moment) {
	e := l.begin(addr, bytes)
	e.Stream, e.Line = m.stream, m.line
	l.older = append(l.older, older{addr, e})
}

// size returns the number of events.
func (l *ledger) size() int { return len(l.events) + len(l.older) }

func (l *ledger) full() error { return fmt.Errorf("more than %d events", l.most) }

func (l *ledger) add(e Event, m moment) error {
	if l.size() >= l.most {
		return l.full()
	}
	if !l.began {
		l.start, l.began = m.micros, true
	}
	e.Stream, e.Line = m.stream, m.line
	e.Micros = m.micros - min(m.micros, l.start)
	l.events = append(l.events, e)
	return nil
}

// log returns the events, beginning with the blocks that were live before the first, by address. The ledger must not be used afterwards.
func (l *ledger) log(name string) Log {
	slices.SortStableFunc(l.older, func(a, b older) int { return cmp.Compare(a.addr, b.addr) })
	var first []Event
	olderBytes := uint64(0)
	for _, o := range l.older {
		first = append(first, o.Event)
		olderBytes += o.Bytes
	}
	live, liveBytes := 0, uint64(0)
	for _, b := range l.blocks {
		if b.bytes > 0 {
			live++
			liveBytes += b.bytes
		}
	}
	out := Log{Name: name, Events: slices.Insert(l.events, 0, first...)}
	note := func(what string, n int, thing string, bytes uint64) {
		if n == 0 {
			return
		}
		text := name + ": " + what + ": " + figure.Count(int64(n), thing)
		if bytes > 0 {
			text += ", " + figure.Count(int64(min(bytes, math.MaxInt64)), "byte")
		}
		out.Notes = append(out.Notes, text)
	}
	note("live before its first event, and allocated at the beginning", len(l.older), "block", olderBytes)
	note("live at its end", live, "block", liveBytes)
	note("freed unseen, when their address was handed out again", l.unseen, "block", 0)
	note("left out, as their block was free already", l.again, "free", 0)
	note("left out, as they were not served", l.failed, "request", 0)
	note("left out, as they were of 0 bytes", l.empty, "request", 0)
	return out
}
