// Package ledger has the file in which the processes of one user keep to a limit that they share.
//
// The file is a header and entries of 128 bytes, one for each process, or for each budget that a process has opened. Only the process of an entry writes what the
// entry says it holds, by one write of eight bytes; the sum is always computed and never stored. So a process that dies between any two writes leaves nothing wrong.
//
// Byte 0 of the file is locked while one process decides. Byte 64 + i is locked by the process of entry i as
// long as it lives. The kernel drops both locks when the process ends, however it ends: an entry whose byte
// is free is that of a dead process, and what it held is free as soon as somebody needs it. To give bytes
// back, and to want some, is no decision: these are writes to the own entry, which wait for nobody.
//
// The file is mapped: what is read, and fields of eight bytes, need no call of the system. Each decision looks whether the file is still whole, and what another program
// cuts off in between is an error and no fault.
//
// If the file is deleted, the next process that decides makes it anew. The entries of all who live go with
// it: each finds its own there when it decides next. While it is not known what one of them holds, nobody
// takes more.
package ledger

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// Errors of this package. What is returned wraps one of them, or is an error of the system.
var (
	ErrUnsupported = errors.New("budgets of several processes need Linux")
	ErrBadFile     = errors.New("not a ledger of this budget")
	ErrFull        = errors.New("the ledger has no entry left")
	ErrBusy        = errors.New("the ledger cannot be used now")
	ErrClosed      = errors.New("the ledger is closed")
)

// Options say which ledger is opened.
type Options struct {
	Dir     string // where the file is; "": Dir()
	Name    string // of the file
	Limit   int64  // of all processes together
	Program string // what others see this process as
}

// Entry is what one process has written.
type Entry struct {
	Program  string
	PID      int
	Own      bool  // of the ledger that lists it
	Held     int64 // bytes that the process has taken
	Wanted   int64 // bytes that it waits for
	Given    int64 // bytes that it has given back while others wanted some, so far
	Priority int   // of who waits
}

// Ledger is one entry of an open file. Safe for concurrent use.
type Ledger struct {
	options   Options
	decisions atomic.Int64 // how often byte 0 was locked

	mu     sync.Mutex // held together with byte 0, but not while another process has that
	file   disk       // nil: closed
	slot   int        // of own in the file
	own    entry
	word   [8]byte   // written or read
	buffer []byte    // what the file had when it was read last
	table  table     // the same, read
	heard  uint32    // the bell when Asked looked last
	deaths uint64    // in the header, when it was read last
	death  time.Time // when deaths was seen to rise
}

// Dir returns the directory for ledgers of this user, which may not exist yet.
func Dir() string {
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "poolgen")
	}
	return filepath.Join("/dev/shm", fmt.Sprint("poolgen-", os.Getuid()))
}

// Open makes the ledger, or joins those who use it. If others use it with another limit, the error is [ErrBadFile]; if nobody does, it gets the new limit.
func Open(o Options) (*Ledger, error) {
	if o.Dir == "" {
		o.Dir = Dir()
	}
	if !isName(o.Name) {
		return nil, fmt.Errorf("%w: a name has 1 to 64 letters, digits, dots, hyphens and underlines, and begins with a letter: %q", ErrBadFile, o.Name)
	}
	l := &Ledger{options: o, own: entry{id: newID(), pid: os.Getpid(), start: startOf(os.Getpid())}}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := patiently(Patience, l.join); err != nil {
		return nil, err
	}
	return l, l.file.unlock()
}

// isName reports whether a ledger can have the name: names of ledgers are names of files.
func isName(s string) bool {
	for i := range len(s) {
		letter := 'a' <= s[i]|0x20 && s[i]|0x20 <= 'z'
		if !letter && (i == 0 || !('0' <= s[i] && s[i] <= '9' || s[i] == '.' || s[i] == '_' || s[i] == '-')) {
			return false
		}
	}
	return 1 <= len(s) && len(s) <= 64
}

// newID returns a number that no other entry has, as far as 64 random bits tell, and that is not 0.
func newID() uint64 { return max(rand.Uint64(), 1) }

// Decisions returns how often the ledger was locked for a decision.
func (l *Ledger) Decisions() int64 { return l.decisions.Load() }

// Limit returns the limit of all processes together.
func (l *Ledger) Limit() int64 { return l.options.Limit }

// Take takes want bytes more, or as many as there are, but at least need: else it takes none, and returns 0. While others wait for bytes, it takes no more than
// it needs. left is what nobody holds afterwards. Pools call it with their locks: it does not wait long for the ledger, and Room is for the wait.
func (l *Ledger) Take(need, want int64) (got, left int64, err error) {
	err = l.decide(Impatience, func(t *table) error {
		if t.room() < need {
			if err := l.bury(l.file, t); err != nil {
				return err
			}
		}
		left = t.room()
		if left < need {
			return nil
		}
		n := min(max(want, need), left)
		if asked, _ := t.asked(l.slot); asked > 0 {
			n = need
		}
		if err := l.store(heldAt, uint64(l.own.held+n)); err != nil {
			return err
		}
		l.own.held += n
		got, left = n, left-n
		return nil
	})
	return got, left, err
}

// Room returns how many bytes nobody holds, when what dead processes held has been given back. It waits for the ledger for at most so long.
func (l *Ledger) Room(patience time.Duration) (n int64, err error) {
	err = l.decide(patience, func(t *table) error {
		if err := l.bury(l.file, t); err != nil {
			return err
		}
		n = max(t.room(), 0)
		return nil
	})
	return n, err
}

// Give gives n bytes back, which the process holds and does not use, and wakes those who wait for some. It returns how many have gone back: all or none, also with an
// error. It does not wait for the ledger.
func (l *Ledger) Give(n int64) (given int64, err error) {
	err = l.tell(func() error {
		n = min(n, l.own.held)
		if err := l.store(heldAt, uint64(l.own.held-n)); err != nil {
			return err
		}
		l.own.held -= n
		given = n
		t, err := l.read(l.file)
		if err != nil {
			return err
		}
		if asked, _ := t.asked(l.slot); asked == 0 {
			return nil
		}
		l.own.given += n
		return errors.Join(l.store(givenAt, uint64(l.own.given)), l.file.ring())
	})
	return given, err
}

// List returns the entries of all processes that live, and gives back what dead ones held.
func (l *Ledger) List() (all []Entry, err error) {
	err = l.decide(Patience, func(t *table) error {
		if err := l.bury(l.file, t); err != nil {
			return err
		}
		for i := range t.entries {
			if e := &t.entries[i]; e.id != 0 {
				all = append(all, Entry{programOf(l.buffer[offsetOf(i):]), e.pid, i == l.slot, e.held, e.wanted, e.given, e.priority})
			}
		}
		return nil
	})
	return all, err
}

// Died returns how long ago it was found that a process has died, and whether any has: the system may still be freeing its memory.
func (l *Ledger) Died() (ago time.Duration, any bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Since(l.death), !l.death.IsZero()
}

// Close gives back what the process holds, and leaves. Closing twice is no error.
func (l *Ledger) Close() error {
	err := l.decide(Patience, func(*table) error { return l.file.write(offsetOf(l.slot), make([]byte, entrySize)) })
	if errors.Is(err, ErrClosed) {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		err = errors.Join(err, l.file.close()) // also if the file is not as it should be: closing it gives the bytes back as well
		l.file = nil
	}
	return err
}
