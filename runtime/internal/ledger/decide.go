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
	lock() (bool, error) // locks byte 0, unless another has it
	unlock() error       // unlocks byte 0
	gone() (bool, error)
	size() (int64, error)
	allocate(size int64) error
	read(at int64, b []byte) error
	write(at int64, b []byte) error
	hold(i int) (bool, error)   // locks byte 64 + i for life, unless another has it
	isHeld(i int) (bool, error) // whether another has byte 64 + i
	ring() error                // adds 1 to the bell, and wakes those in wait
	bell() (bell, error)        // for waiting without the lock of the ledger
	close() error
}

// bell waits for the bell of a file.
type bell interface {
	wait(heard uint32, atMost time.Duration) // returns when the bell is no longer heard, or somebody wakes
	close()
}

// Patience and Impatience bound the wait for another process, which needs some microseconds for a decision unless it was stopped.
const (
	Patience   = time.Second
	Impatience = time.Millisecond
)

var errLocked = fmt.Errorf("%w: another process has its lock", ErrBusy)

// patiently tries until it has worked, at first often, and returns errLocked if it has not for so long. A wait in the kernel could not end.
func patiently(patience time.Duration, try func() (bool, error)) error {
	for begun, pause := time.Now(), 10*time.Microsecond; ; pause = min(2*pause, 200*time.Microsecond) {
		if done, err := try(); done || err != nil {
			return err
		}
		if time.Since(begun) > patience {
			return errLocked
		}
		time.Sleep(pause)
	}
}

// decide calls f with byte 0 locked. What f gets is what the file has. It waits for other processes for at most so long.
func (l *Ledger) decide(patience time.Duration, f func(*table) error) error {
	err := patiently(patience, func() (bool, error) {
		l.mu.Lock()
		entered, err := l.enter()
		if !entered {
			l.mu.Unlock()
		}
		return entered, err
	})
	if err != nil {
		return l.suspects(err)
	}
	defer l.mu.Unlock()
	l.decisions.Add(1)
	t, err := l.read(l.file)
	if err == nil && t.limit != l.options.Limit {
		err = fmt.Errorf("%w: its limit has become %d, and was %d", ErrBadFile, t.limit, l.options.Limit)
	}
	if err == nil && l.slot >= len(t.entries) {
		err = fmt.Errorf("%w: it claims %d entries, and has had %d"+anew, ErrBadFile, len(t.entries), l.slot+1)
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

// enter locks byte 0 of the file that is in use now, unless another has it. The caller holds l.mu.
func (l *Ledger) enter() (bool, error) {
	if l.file == nil {
		return false, ErrClosed
	}
	entered, err := l.file.lock()
	if !entered {
		return false, err
	}
	gone, err := l.file.gone()
	if err == nil && gone {
		entered, err = l.moveOn()
	}
	if err != nil || !entered {
		return false, errors.Join(err, l.file.unlock())
	}
	return true, nil
}

// tell calls f, which writes fields of the own entry. Only this process writes them, so f needs no lock of other processes. If the file was deleted, the
// process moves on before; if that is not possible now, what f has written goes along when it is.
func (l *Ledger) tell(f func() error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return ErrClosed
	}
	gone, err := l.file.gone()
	if err != nil {
		return err
	}
	if gone {
		if entered, _ := l.enter(); entered {
			if err := l.file.unlock(); err != nil {
				return err
			}
		}
	}
	return f()
}

// suspects adds to errLocked which processes may have the lock.
func (l *Ledger) suspects(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != errLocked || l.file == nil {
		return err
	}
	t, unread := l.read(l.file)
	if unread != nil {
		return err
	}
	var pids []string
	for i := range t.entries {
		if e := &t.entries[i]; e.id != 0 && i != l.slot {
			pids = append(pids, strconv.Itoa(e.pid))
		}
	}
	return fmt.Errorf("%w: was one of the processes %s stopped?", err, strings.Join(pids, ", "))
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

// alive reports whether the process of an entry lives.
func (l *Ledger) alive(file disk, i int, e *entry) (bool, error) {
	switch {
	case e.id == 0:
		return false, nil
	case e.id == l.own.id:
		return true, nil
	case e.carried != 0:
		return e.lives(), nil
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
	stop := context.AfterFunc(ctx, func() { _ = l.tell(func() error { return l.file.ring() }) })
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
