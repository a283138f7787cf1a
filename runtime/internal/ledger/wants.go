package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Want says that the process waits for n bytes more, with the priority of who waits, and wakes those who may give some. 0 ends that.
func (l *Ledger) Want(n int64, priority int) error {
	return l.decide(func(t *table) error {
		if n == l.own.wanted && priority == l.own.priority {
			return nil
		}
		err := errors.Join(l.store(priorityAt, uint64(priority)), l.store(wantedAt, uint64(n)))
		if err != nil {
			return err
		}
		l.own.wanted, l.own.priority = n, priority
		if n == 0 {
			return nil
		}
		return l.ring(t)
	})
}

// Want is what others wait for.
type Want struct {
	Bytes    int64  // beyond what is free
	Priority int    // the highest of those who wait
	Who      string // one of those with this priority
}

// Asked returns what others wait for. If anybody waits, it first gives back what dead processes held.
func (l *Ledger) Asked() (w Want, err error) {
	err = l.decide(func(t *table) error {
		l.heard = t.bell
		if asked, _ := t.asked(l.slot); asked == 0 {
			return nil
		}
		if err := l.bury(l.file, t); err != nil {
			return err
		}
		asked, first := t.asked(l.slot)
		if w.Bytes = asked - max(t.room(), 0); w.Bytes <= 0 {
			w.Bytes = 0
			return nil
		}
		e := &t.entries[first]
		w.Priority, w.Who = e.priority, fmt.Sprintf("process %d (%s)", e.pid, programOf(l.buffer[offsetOf(first):]))
		return nil
	})
	return w, err
}

// Rung reports whether anybody has begun to wait, or has given something to those who wait, since Asked looked last. It locks nothing, and calls no system.
func (l *Ledger) Rung() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return false
	}
	bell := l.word[:4]
	return l.file.read(bellAt, bell) == nil && binary.NativeEndian.Uint32(bell) != l.heard
}
