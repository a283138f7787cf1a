package ledger

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// anew says what to do about a file that somebody has spoilt.
const anew = ": delete it, and it is made anew"

// openTries bounds how often a file is opened that is deleted meanwhile.
const openTries = 100

// join opens the file, puts the own entry into it, and leaves byte 0 locked. It reports false if another process has that.
func (l *Ledger) join() (bool, error) {
	file, t, err := l.openLocked()
	if file == nil {
		return false, err
	}
	if err = l.agree(file, t); err == nil {
		err = l.place(file, t)
	}
	if err != nil {
		return false, errors.Join(err, file.close())
	}
	l.file = file
	return true, nil
}

// moveOn makes the file anew, if nobody else has, when it was deleted. The entries of all who live go with it. The old file stays locked until the new one is
// in use: nobody takes meanwhile. It reports false if another process has the lock of the new file. If it is not known what one of those who live holds, it
// returns [ErrBusy], and the process stays with the old file.
func (l *Ledger) moveOn() (bool, error) {
	old := l.file
	// Again, if somebody has spoilt it.
	if err := old.write(offsetOf(l.slot), l.own.encode(l.options.Program)); err != nil {
		return false, err
	}
	living, err := l.living(old)
	if err != nil {
		return false, err
	}
	file, t, err := l.openLocked()
	if file == nil {
		return false, err
	}
	err = l.agree(file, t)
	for _, text := range living {
		if err == nil {
			err = l.carry(text, file, t)
		}
	}
	was := l.slot
	if err == nil {
		err = l.place(file, t)
	}
	if err != nil {
		return false, errors.Join(err, file.close())
	}
	l.file = file
	// Those who come from the old file when the new one is deleted as well do not know what this process
	// holds by then.
	moved := binary.NativeEndian.AppendUint64(nil, left)
	return true, errors.Join(old.write(offsetOf(was)+carriedAt, moved), old.close())
}

// living returns the entries of all other processes that live and have, or have had, an entry in a deleted
// file. What the header says does not matter: somebody may have spoilt it.
func (l *Ledger) living(old disk) (all [][]byte, err error) {
	size, err := old.size()
	if err != nil {
		return nil, err
	}
	b := make([]byte, fileSize)
	if err := old.read(0, b[:min(size, fileSize)&^7]); err != nil {
		return nil, err
	}
	for i := range entries {
		text := b[offsetOf(i):offsetOf(i+1)]
		e := decode(text)
		taken, err := old.isHeld(i) // not the own one
		switch {
		case err != nil:
			return nil, err
		case i == l.slot:
		case taken && (e.id == 0 || e.held < 0 || e.held > l.options.Limit || e.wanted < 0):
			return nil, fmt.Errorf("%w: it was overwritten, and what another process holds is not known"+untilThen, ErrBusy)
		case taken, e.carried != 0 && e.lives():
			all = append(all, text)
		}
	}
	return all, nil
}

// openLocked opens the file, makes it if there is none, and locks byte 0. Without an error and a file, another process has that.
func (l *Ledger) openLocked() (disk, *table, error) {
	for range openTries {
		file, err := openDisk(l.options.Dir, l.options.Name)
		if err != nil {
			return nil, nil, err
		}
		gone := false
		locked, err := file.lock()
		if locked {
			gone, err = file.gone()
		}
		var t *table
		if err == nil && locked && !gone {
			if t, err = l.prepare(file); err == nil {
				return file, t, nil
			}
		}
		if err = errors.Join(err, file.close()); err != nil || !locked {
			return nil, nil, err
		}
	}
	return nil, nil, fmt.Errorf("%w: it was deleted each time that it was opened", ErrBusy)
}

// prepare makes a new file a ledger, and reads one that is there.
func (l *Ledger) prepare(file disk) (*table, error) {
	size, err := file.size()
	if err != nil {
		return nil, err
	}
	if size != 0 && size != fileSize {
		return nil, fmt.Errorf("%w: it has %d bytes, not %d", ErrBadFile, size, fileSize)
	}
	if size == 0 {
		if err := file.allocate(fileSize); err != nil {
			return nil, err
		}
	}
	header := make([]byte, entrySize)
	if err := file.read(0, header); err != nil {
		return nil, err
	}
	if bytes.Equal(header, make([]byte, entrySize)) { // new, or whoever made it died before this
		for i := range entries {
			if taken, err := file.isHeld(i); err != nil {
				return nil, err
			} else if taken {
				return nil, fmt.Errorf("%w: it does not begin as one, and processes use it"+anew, ErrBadFile)
			}
		}
		if err := file.write(0, newHeader(l.options.Limit)); err != nil {
			return nil, err
		}
	}
	return l.read(file)
}

// agree refuses a file that others use with another limit. One that nobody uses gets the limit of this process.
func (l *Ledger) agree(file disk, t *table) error {
	if t.limit == l.options.Limit {
		return nil
	}
	if err := l.bury(file, t); err != nil {
		return err
	}
	for i := range t.entries {
		if e := &t.entries[i]; e.id != 0 && e.id != l.own.id {
			return fmt.Errorf("%w: process %d (%s) uses it with limit %d, and this one asks for %d", ErrBadFile,
				e.pid, programOf(l.buffer[offsetOf(i):]), t.limit, l.options.Limit)
		}
	}
	t.limit = l.options.Limit
	return file.write(limitAt, binary.NativeEndian.AppendUint64(nil, uint64(t.limit)))
}

// place puts the own entry into a file: where another process has put it, or where there is room.
func (l *Ledger) place(file disk, t *table) error {
	i := t.find(l.own.id)
	if i >= 0 {
		mine, err := file.hold(i)
		if err != nil {
			return err
		}
		if !mine {
			return fmt.Errorf("%w: another process has the lock of entry %d", ErrBadFile, i)
		}
	} else {
		var err error
		if i, err = l.free(file, t, true); err != nil {
			return err
		}
	}
	l.slot = i
	return l.put(file, t, i, l.own.encode(l.options.Program))
}

// untilThen says when a process has told what it holds.
const untilThen = " until it allocates, trims, polls or ends"

// carry puts an entry of the old file into the new one. The lock of the new entry is left to its process.
func (l *Ledger) carry(text []byte, file disk, t *table) error {
	e := decode(text)
	switch {
	case t.find(e.id) >= 0:
		return nil
	case e.carried == left:
		return fmt.Errorf("%w: it was deleted again, and what process %d holds is not known"+untilThen, ErrBusy, e.pid)
	}
	to, err := l.free(file, t, false)
	if err != nil {
		return err
	}
	binary.NativeEndian.PutUint64(text[carriedAt:], carried)
	return l.put(file, t, to, text)
}

// free returns an entry that is not in use and whose byte nobody has. With hold, the byte is locked afterwards.
func (l *Ledger) free(file disk, t *table, hold bool) (int, error) {
	if err := l.bury(file, t); err != nil {
		return 0, err
	}
	for i := range entries {
		if i < len(t.entries) && t.entries[i].id != 0 {
			continue
		}
		lock := file.hold
		if !hold {
			lock = func(i int) (bool, error) { taken, err := file.isHeld(i); return !taken, err }
		}
		if free, err := lock(i); err != nil || free {
			return i, err
		}
		if i >= len(t.entries) {
			return 0, fmt.Errorf("%w: it claims %d entries, and processes use more"+anew, ErrBadFile, len(t.entries))
		}
	}
	return 0, fmt.Errorf("%w: %d processes use it", ErrFull, entries)
}
