package ledger

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// openTries bounds how often a file is opened that is deleted meanwhile.
const openTries = 100

// join opens the file, puts the own entry into it, and leaves byte 0 locked.
func (l *Ledger) join() error {
	file, t, err := l.openLocked()
	if err != nil {
		return err
	}
	if err := l.agree(file, t); err != nil {
		return errors.Join(err, file.close())
	}
	if err := l.place(file, t); err != nil {
		return errors.Join(err, file.close())
	}
	l.file = file
	return nil
}

// moveOn makes the file anew, if nobody else has, when it was deleted. The entries of all who live go with it. The old file stays locked until the new one is
// in use: nobody takes or gives meanwhile.
func (l *Ledger) moveOn() error {
	old := l.file
	before, all := table{}, []byte(nil)
	if t, err := l.read(old); err == nil { // else somebody has spoilt it: only the own entry goes along
		before.entries, all = append(before.entries, t.entries...), bytes.Clone(l.buffer)
	}
	file, t, err := l.openLocked()
	if err != nil {
		return err
	}
	err = l.agree(file, t)
	for i := range before.entries {
		if err == nil {
			err = l.carry(old, i, &before.entries[i], all, file, t)
		}
	}
	if err != nil {
		return errors.Join(err, file.close())
	}
	was := l.slot
	if err := l.place(file, t); err != nil {
		return errors.Join(err, file.close())
	}
	l.file = file
	// The entry in the old file loses its lock. It counts as carried there, for those who come from it when the new file is deleted as well.
	return errors.Join(old.write(offsetOf(was)+carriedAt, binary.NativeEndian.AppendUint64(nil, 1)), old.close())
}

// openLocked opens the file, makes it if there is none, and locks byte 0.
func (l *Ledger) openLocked() (disk, *table, error) {
	for range openTries {
		file, err := openDisk(l.options.Dir, l.options.Name)
		if err != nil {
			return nil, nil, err
		}
		gone := false
		if err = file.lock(); err == nil {
			gone, err = file.gone()
		}
		var t *table
		if err == nil && !gone {
			if t, err = l.prepare(file); err == nil {
				return file, t, nil
			}
		}
		if err = errors.Join(err, file.close()); err != nil {
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

// carry puts entry i of the old file into the new one, if its process lives. The lock of the new entry is left to that process.
func (l *Ledger) carry(old disk, i int, e *entry, all []byte, file disk, t *table) error {
	alive, err := l.alive(old, i, e)
	if err != nil || !alive || e.id == l.own.id || t.find(e.id) >= 0 {
		return err
	}
	to, err := l.free(file, t, false)
	if err != nil {
		return err
	}
	text := bytes.Clone(all[offsetOf(i):offsetOf(i+1)])
	binary.NativeEndian.PutUint64(text[carriedAt:], 1)
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
		if !hold {
			if taken, err := file.isHeld(i); err != nil || !taken {
				return i, err
			}
			continue
		}
		if mine, err := file.hold(i); err != nil || mine {
			return i, err
		}
	}
	return 0, fmt.Errorf("%w: %d processes use it", ErrFull, entries)
}
