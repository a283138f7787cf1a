package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Want says that the process waits for n bytes more, with the priority of who waits, and wakes those who may give some. 0 ends that.
func (l *Ledger) Want(n int64, priority int) error {
	return l.tell(func() error {
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
		return l.file.ring()
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
	err = l.decide(Patience, func(t *table) (err error) {
		if asked, _ := t.asked(l.slot); asked > 0 {
			err = l.bury(l.file, t)
		}
		w = l.hear(t)
		return err
	})
	return w, err
}

// Heard is Asked for those who cannot wait for the ledger. What dead processes held is not given back: others may have less to wait for.
func (l *Ledger) Heard() (w Want, err error) {
	err = l.tell(func() error {
		t, err := l.read(l.file)
		if err == nil {
			w = l.hear(t)
		}
		return err
	})
	return w, err
}

// hear returns what a table says that others wait for.
func (l *Ledger) hear(t *table) (w Want) {
	l.heard = t.bell
	asked, first := t.asked(l.slot)
	if asked -= max(t.room(), 0); asked > 0 {
		e := &t.entries[first]
		w = Want{asked, e.priority, fmt.Sprintf("process %d (%s)", e.pid, programOf(l.buffer[offsetOf(first):]))}
	}
	return w
}

// Rung reports whether anybody has begun to wait, or has given something to those who wait, since Asked looked last. It locks nothing, and calls no system.
func (l *Ledger) Rung() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return false
	}
	return l.file.read(bellAt, l.word[:]) == nil && binary.NativeEndian.Uint32(l.word[:]) != l.heard
}
