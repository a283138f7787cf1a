package foreign

import (
	"cmp"
	"fmt"
	"slices"
)

// ledger makes events of what is said about addresses.
type ledger struct {
	most   int
	next   uint64           // id of the next block
	live   map[uint64]Event // the allocation of what is live, by address
	events []Event
	older  []older // what was live before the first event
	start  uint64  // when that was, in microseconds of any clock
	last   uint64  // when the last one was
	began  bool

	unseen, empty, failed int // frees that nobody told; requests of 0 bytes; requests that were not served
}

// older is an allocation that was made before anybody looked.
type older struct {
	addr uint64
	Event
}

func newLedger(most int) *ledger { return &ledger{most: most, live: map[uint64]Event{}} }

// moment is when and where something was said to have happened.
type moment struct {
	stream, micros uint64
	line           int
}

// alloc notes a block. Where its address is live, that block was freed unseen.
func (l *ledger) alloc(addr, bytes uint64, m moment) error {
	if bytes == 0 {
		l.empty++
		return nil
	}
	if old, ok := l.live[addr]; ok {
		l.unseen++
		if err := l.add(Event{Free: true, ID: old.ID}, m); err != nil {
			return err
		}
	}
	e := Event{ID: l.next, Bytes: bytes, Stream: m.stream, Line: m.line}
	l.next++
	l.live[addr] = e
	return l.add(e, m)
}

// free notes that a block is free. One that was never allocated has been live since before the first event.
func (l *ledger) free(addr, bytes uint64, m moment) error {
	e, ok := l.live[addr]
	switch {
	case !ok && bytes == 0:
		return nil
	case !ok:
		e = l.before(addr, bytes, m)
	}
	delete(l.live, addr)
	return l.add(Event{Free: true, ID: e.ID}, m)
}

// before notes a block that was live before the first event.
func (l *ledger) before(addr, bytes uint64, m moment) Event {
	e := Event{ID: l.next, Bytes: bytes, Stream: m.stream, Line: m.line}
	l.next++
	l.older = append(l.older, older{addr, e})
	l.live[addr] = e
	return e
}

// size is how many events there are.
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

// log returns the events, those first that were live before, by address.
func (l *ledger) log(name string) Log {
	slices.SortStableFunc(l.older, func(a, b older) int { return cmp.Compare(a.addr, b.addr) })
	out := Log{Name: name, Events: make([]Event, 0, len(l.older)+len(l.events))}
	var olderBytes, liveBytes uint64
	for _, o := range l.older {
		out.Events = append(out.Events, o.Event)
		olderBytes += o.Bytes
	}
	out.Events = append(out.Events, l.events...)
	for _, e := range l.live {
		liveBytes += e.Bytes
	}
	note := func(n int, text string, args ...any) {
		if n > 0 {
			out.Notes = append(out.Notes, fmt.Sprintf("%s: "+text, append([]any{name, n}, args...)...))
		}
	}
	note(len(l.older), "%d blocks, %d bytes, were live before its first event; they are allocated at the beginning", olderBytes)
	note(len(l.live), "%d blocks, %d bytes, are live at its end", liveBytes)
	note(l.unseen, "%d blocks were freed unseen, when their address was handed out again")
	note(l.failed, "%d requests that were not served are left out")
	note(l.empty, "%d requests of 0 bytes are left out")
	return out
}
