package ledger

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// disk is an open ledger file. The offsets of its locks are those of the file. Processes, and two disks of one process, exclude each other.
type disk interface {
	lock() error   // locks byte 0; [ErrBusy] if another process holds it for long
	unlock() error // unlocks byte 0
	gone() (bool, error)
	size() (int64, error)
	allocate(size int64) error
	read(at int64, b []byte) error
	write(at int64, b []byte) error
	hold(i int) (bool, error)   // locks byte 64 + i for life, unless another has it
	isHeld(i int) (bool, error) // whether another has byte 64 + i
	wake() error                // wakes those in wait
	bell() (bell, error)        // for waiting without the lock of the ledger
	close() error
}

// bell waits for the bell of a file.
type bell interface {
	wait(heard uint32, atMost time.Duration) // returns when the bell is no longer heard, or somebody wakes
	close()
}

// decide calls f with byte 0 locked. What f gets is what the file has.
func (l *Ledger) decide(f func(*table) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return ErrClosed
	}
	if err := l.enter(); err != nil {
		return err
	}
	l.decisions.Add(1)
	t, err := l.read(l.file)
	if err == nil && t.limit != l.options.Limit {
		err = fmt.Errorf("%w: its limit has become %d, and was %d", ErrBadFile, t.limit, l.options.Limit)
	}
	if err == nil && !l.written(t) {
		if err = l.put(l.file, t, l.slot, l.own.encode(l.options.Program)); err == nil {
			t, err = l.read(l.file)
		}
	}
	if err == nil {
		l.noteDeaths(t)
		err = f(t)
	}
	return errors.Join(err, l.file.unlock())
}

// enter locks byte 0 of the file that is in use now.
func (l *Ledger) enter() error {
	if err := l.file.lock(); err != nil {
		return l.suspects(err)
	}
	gone, err := l.file.gone()
	if err == nil && gone {
		err = l.moveOn()
	}
	if err != nil {
		return errors.Join(err, l.file.unlock())
	}
	return nil
}

// suspects adds to the error of a lock which processes may have it.
func (l *Ledger) suspects(busy error) error {
	t, err := l.read(l.file)
	if err != nil || !errors.Is(busy, ErrBusy) {
		return busy
	}
	var pids []string
	for i := range t.entries {
		if e := &t.entries[i]; e.id != 0 && i != l.slot {
			pids = append(pids, strconv.Itoa(e.pid))
		}
	}
	return fmt.Errorf("%w: was one of the processes %s stopped?", busy, strings.Join(pids, ", "))
}

// read reads the file, with byte 0 locked: at first as many entries as there were the last time.
func (l *Ledger) read(file disk) (*table, error) {
	if len(l.buffer) == 0 {
		l.buffer = make([]byte, entrySize)
	}
	for {
		if err := file.read(0, l.buffer); err != nil {
			return nil, err
		}
		used, err := usedOf(l.buffer)
		if err != nil {
			return nil, err
		}
		size := int(offsetOf(used))
		if size <= len(l.buffer) {
			return &l.table, l.table.parse(l.buffer[:size])
		}
		l.buffer = make([]byte, size)
	}
}

// written reports whether the file has the own entry. Only this process may change it: if it is not there, something else has changed the file.
func (l *Ledger) written(t *table) bool {
	return l.slot < len(t.entries) && t.entries[l.slot].id == l.own.id && t.entries[l.slot].held == l.own.held
}

// noteDeaths notes whether processes were found dead since the last decision.
func (l *Ledger) noteDeaths(t *table) {
	if t.deaths != l.deaths {
		l.deaths, l.death = t.deaths, time.Now()
	}
}

// store writes one field of the own entry.
func (l *Ledger) store(field int64, v uint64) error {
	return l.file.write(offsetOf(l.slot)+field, binary.NativeEndian.AppendUint64(l.word[:0], v))
}

// put writes entry i of a file, and counts it among those that were ever used.
func (l *Ledger) put(file disk, t *table, i int, text []byte) error {
	if err := file.write(offsetOf(i), text); err != nil {
		return err
	}
	for len(t.entries) <= i {
		t.entries = append(t.entries, entry{})
		if err := file.write(usedAt, binary.NativeEndian.AppendUint64(nil, uint64(len(t.entries)))); err != nil {
			return err
		}
	}
	t.entries[i] = decode(text)
	return nil
}

// ring wakes those who wait for bytes, or for others who want some.
func (l *Ledger) ring(t *table) error {
	t.bell++
	if err := l.file.write(bellAt, binary.NativeEndian.AppendUint32(nil, t.bell)); err != nil {
		return err
	}
	return l.file.wake()
}

// alive reports whether the process of an entry lives.
func (l *Ledger) alive(file disk, i int, e *entry) (bool, error) {
	switch {
	case e.id == 0:
		return false, nil
	case e.id == l.own.id:
		return true, nil
	case e.carried:
		return e.start != 0 && startOf(e.pid) == e.start, nil
	}
	return file.isHeld(i)
}

// bury clears the entries of dead processes.
func (l *Ledger) bury(file disk, t *table) error {
	for i := range t.entries {
		e := &t.entries[i]
		alive, err := l.alive(file, i, e)
		if err != nil {
			return err
		}
		if alive || e.id == 0 {
			continue
		}
		if err := file.write(offsetOf(i), make([]byte, entrySize)); err != nil {
			return err
		}
		*e = entry{}
		t.deaths++
		if err := file.write(deathsAt, binary.NativeEndian.AppendUint64(nil, t.deaths)); err != nil {
			return err
		}
	}
	l.noteDeaths(t)
	return nil
}

// waitAtMost bounds a wait: who should have woken those who wait may have died before.
const waitAtMost = 100 * time.Millisecond

// Wait waits until others want or give bytes, since Asked looked last, for at most 100 ms, or until ctx ends.
func (l *Ledger) Wait(ctx context.Context) error {
	b, heard, err := l.listen()
	if err != nil {
		return err
	}
	defer b.close()
	stop := context.AfterFunc(ctx, func() { _ = l.decide(l.ring) })
	defer stop()
	if ctx.Err() == nil {
		b.wait(heard, waitAtMost)
	}
	return ctx.Err()
}

// listen returns the bell of the file, and what Asked has heard of it.
func (l *Ledger) listen() (b bell, heard uint32, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil, 0, ErrClosed
	}
	b, err = l.file.bell()
	return b, l.heard, err
}
