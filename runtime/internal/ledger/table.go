package ledger

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

const (
	entrySize = 128
	entries   = 511
	fileSize  = entrySize * (1 + entries) // the header is as large as an entry

	version = 1
)

// magic begins each ledger.
var magic = [8]byte{'p', 'o', 'o', 'l', 'g', 'e', 'n', 0}

// Where the fields of the header are.
const (
	magicAt   = 0
	versionAt = 8
	limitAt   = 16
	usedAt    = 24 // how many entries were ever used: those behind them are empty
	deathsAt  = 32 // how many entries of dead processes were cleared
	bellAt    = 40 // four bytes, which count up when those who wait should look again
)

// Where the fields of an entry are.
const (
	idAt       = 0 // 0: not in use
	pidAt      = 8
	startAt    = 16 // of the process, in ticks since the system was started
	carriedAt  = 24 // carried or left, or 0
	heldAt     = 32
	wantedAt   = 40
	priorityAt = 48
	givenAt    = 56
	programAt  = 64
)

// What the field carried says.
const (
	carried = 1 // another process has made the entry in a new file: its own has not locked its byte there yet
	left    = 2 // the process has moved on to a new file
)

// entry is an entry as the file has it, without the name of the program.
type entry struct {
	id, start uint64
	pid       int
	carried   uint64
	held      int64
	wanted    int64
	priority  int
	given     int64
}

// table is what the file has, read while byte 0 is locked.
type table struct {
	limit   int64
	deaths  uint64
	bell    uint32
	entries []entry // those that were ever used
}

// offsetOf returns where entry i begins.
func offsetOf(i int) int64 { return int64(i+1) * entrySize }

// newHeader returns the header of an empty ledger.
func newHeader(limit int64) []byte {
	h := make([]byte, entrySize)
	copy(h, magic[:])
	binary.NativeEndian.PutUint64(h[versionAt:], version)
	binary.NativeEndian.PutUint64(h[limitAt:], uint64(limit))
	return h
}

// encode returns the entry of a program as it stands in the file.
func (e *entry) encode(program string) []byte {
	b := make([]byte, entrySize)
	for _, f := range []struct {
		at int
		v  uint64
	}{
		{idAt, e.id}, {pidAt, uint64(e.pid)}, {startAt, e.start}, {heldAt, uint64(e.held)},
		{wantedAt, uint64(e.wanted)}, {priorityAt, uint64(e.priority)}, {givenAt, uint64(e.given)},
	} {
		binary.NativeEndian.PutUint64(b[f.at:], f.v)
	}
	copy(b[programAt:], program)
	return b
}

// lives reports whether the process that the entry names lives.
func (e *entry) lives() bool { return e.start != 0 && startOf(e.pid) == e.start }

func decode(b []byte) entry {
	field := func(at int) uint64 { return binary.NativeEndian.Uint64(b[at:]) }
	return entry{
		id: field(idAt), pid: int(field(pidAt)), start: field(startAt), carried: field(carriedAt), held: int64(field(heldAt)),
		wanted: int64(field(wantedAt)), priority: int(field(priorityAt)), given: int64(field(givenAt)),
	}
}

// programOf returns the name of the program of an entry.
func programOf(b []byte) string {
	return strings.ToValidUTF8(string(bytes.TrimRight(b[programAt:entrySize], "\x00")), "")
}

// usedOf returns how many entries a header says were ever used, and what is wrong with the header.
func usedOf(h []byte) (int, error) {
	switch v := binary.NativeEndian.Uint64(h[versionAt:]); {
	case [8]byte(h[magicAt:]) != magic:
		return 0, fmt.Errorf("%w: it does not begin as one", ErrBadFile)
	case v != version:
		return 0, fmt.Errorf("%w: its version is %d, and this program knows version %d", ErrBadFile, v, version)
	}
	n := binary.NativeEndian.Uint64(h[usedAt:])
	if n > entries {
		return 0, fmt.Errorf("%w: it claims %d entries, and has room for %d", ErrBadFile, n, entries)
	}
	return int(n), nil
}

// parse reads a table from the bytes of a header and of the entries that were ever used.
func (t *table) parse(b []byte) error {
	t.limit = int64(binary.NativeEndian.Uint64(b[limitAt:]))
	t.deaths = binary.NativeEndian.Uint64(b[deathsAt:])
	t.bell = binary.NativeEndian.Uint32(b[bellAt:])
	t.entries = t.entries[:0]
	sum := int64(0)
	for at := entrySize; at < len(b); at += entrySize {
		e := decode(b[at : at+entrySize])
		if e.held < 0 || e.wanted < 0 || sum+e.held < sum {
			return fmt.Errorf("%w: entry %d holds %d and wants %d bytes", ErrBadFile, len(t.entries), e.held, e.wanted)
		}
		sum += e.held
		t.entries = append(t.entries, e)
	}
	return nil
}

// room returns how many bytes nobody holds. It is negative if processes that were found late hold more than the limit.
func (t *table) room() int64 {
	room := t.limit
	for i := range t.entries {
		room -= t.entries[i].held
	}
	return room
}

// asked returns how many bytes entries other than the given one wait for, and the entry with the highest priority of these.
func (t *table) asked(except int) (bytes int64, first int) {
	first = -1
	for i := range t.entries {
		e := &t.entries[i]
		if i == except || e.wanted == 0 {
			continue
		}
		bytes += min(e.wanted, t.limit)
		if first < 0 || e.priority > t.entries[first].priority {
			first = i
		}
	}
	return bytes, first
}

// find returns the entry with an id, -1 without one.
func (t *table) find(id uint64) int {
	for i := range t.entries {
		if t.entries[i].id == id {
			return i
		}
	}
	return -1
}
