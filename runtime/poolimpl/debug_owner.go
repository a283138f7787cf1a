//go:build pooldebug

package poolimpl

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// owner is the goroutine that is in a call of a pool without a lock.
type owner struct {
	calls int // within each other
	trace callTrace
}

// beginUse begins a call of a pool. One without a lock that is in another call, by another goroutine, refuses with [poolrt.ErrOwner]: which goroutine uses such
// a pool is up to the program, but there is one at a time.
//
// The call is for observeAlloc: all blocks of a batch have one.
func (e *Engine) beginUse(op string) (Call, error) {
	d := &e.observed.debug
	now := here()
	d.mu.Lock()
	defer d.mu.Unlock()
	if e.config.Locked {
		return Call{d.sweeps, &now}, nil
	}
	if d.owner.calls > 0 && d.owner.trace.goroutine != now.goroutine {
		var b strings.Builder
		b.WriteString("the pool has no lock (concurrency: none)")
		d.owner.trace.write(&b, "a call that has not returned yet was made")
		now.write(&b, "and this one")
		return Call{}, &poolrt.PoolError{Pool: e.name.get(), Op: op, Err: poolrt.ErrOwner, Detail: b.String(), Limit: e.limits.limit, Unit: "none"} // the figures are the other's
	}
	if d.owner.calls == 0 {
		d.owner.trace = now
	}
	d.owner.calls++
	return Call{d.sweeps, &now}, nil
}

// Call is a call of a pool. The zero value stands for one that begins there where it is given.
type Call struct {
	sweeps uint64 // how often all blocks had been taken back by then
	trace  *callTrace
}

// endUse ends what beginUse began.
func (e *Engine) endUse() {
	if e.config.Locked {
		return
	}
	d := &e.observed.debug
	d.mu.Lock()
	defer d.mu.Unlock()
	d.owner.calls--
}

// goroutine is the number of the calling one, as stack traces give it.
func goroutine() uint64 {
	var buf [64]byte
	line := buf[:runtime.Stack(buf[:], false)]
	line, _, _ = bytes.Cut(bytes.TrimPrefix(line, []byte("goroutine ")), []byte(" "))
	n, _ := strconv.ParseUint(string(line), 10, 64)
	return n
}
