//go:build pooldebug

package runtime

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"
)

// owner is the goroutine that is in a call of a pool without a lock.
type owner struct {
	calls int // within each other
	trace trace
}

// Enter begins a call of a pool. One without a lock that is in another call, by another goroutine, refuses with [ErrOwner]: which goroutine uses such
// a pool is up to the program, but there is one at a time.
//
// The turn is for Handed and Leaving: all blocks of a batch have one.
func (e *Engine) Enter(op string) (Turn, error) {
	w := &e.watch
	now := here()
	w.mu.Lock()
	defer w.mu.Unlock()
	if e.config.Locked {
		return Turn{w.sweeps, &now}, nil
	}
	if w.owner.calls > 0 && w.owner.trace.goroutine != now.goroutine {
		var b strings.Builder
		b.WriteString("the pool has no lock (concurrency: none)")
		w.owner.trace.write(&b, "a call that has not returned yet was made")
		now.write(&b, "and this one")
		return Turn{}, &PoolError{Pool: e.label(), Op: op, Err: ErrOwner, Detail: b.String(), Limit: e.limit, bare: true} // the figures are the other's
	}
	if w.owner.calls == 0 {
		w.owner.trace = now
	}
	w.owner.calls++
	return Turn{w.sweeps, &now}, nil
}

// Turn is a call of a pool. The zero value stands for one that begins there where it is given.
type Turn struct {
	sweeps uint64 // how often all blocks had been taken back by then
	call   *trace
}

// Leave ends it.
func (e *Engine) Leave() {
	if e.config.Locked {
		return
	}
	w := &e.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	w.owner.calls--
}

// goroutine is the number of the calling one, as stack traces give it.
func goroutine() uint64 {
	var buf [64]byte
	line := buf[:runtime.Stack(buf[:], false)]
	line, _, _ = bytes.Cut(bytes.TrimPrefix(line, []byte("goroutine ")), []byte(" "))
	n, _ := strconv.ParseUint(string(line), 10, 64)
	return n
}
