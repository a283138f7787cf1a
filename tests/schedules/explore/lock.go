package explore

// Lock is a mutex. Whoever takes it sees what its earlier holders have done.
type Lock struct {
	mark Mark
	held bool
	past uint64 // hash of what its holders have read
}

// id returns the identity of the lock. In each schedule the lock is free at first.
func (l *Lock) id() uint64 {
	id, fresh := l.mark.get()
	if fresh {
		l.held, l.past = false, 0
	}
	return id
}

func (l *Lock) ready(_ *thread, c choice, to []choice) []choice {
	if l.held {
		return to
	}
	return append(to, c)
}

// Take takes the lock.
func (l *Lock) Take() {
	l.id()
	t := point("Lock", l)
	if t == nil && l.held {
		Failf("a lock is held at the end")
	}
	l.take(t)
}

// Try takes the lock if it is free.
func (l *Lock) Try() bool {
	l.id()
	t := point("TryLock", nil)
	if l.held {
		See(0)
		return false
	}
	l.take(t)
	return true
}

func (l *Lock) take(t *thread) {
	l.held = true
	if t != nil {
		t.drain()
		t.reads(l.past)
		changed(l.id(), 0, 1)
		appended(l.id(), &l.past, t.history)
	}
}

// Release releases the lock.
func (l *Lock) Release() {
	l.id()
	t := point("Unlock", nil)
	if !l.held {
		Failf("unlock of a lock that nobody holds")
	}
	l.held = false
	if t != nil {
		t.drain()
		changed(l.id(), 1, 0)
	}
}

// Cond is a condition variable.
type Cond struct {
	mark    Mark
	waiters []*ticket
}

// ticket is a call of Wait.
type ticket struct{ called bool }

func (k *ticket) ready(_ *thread, c choice, to []choice) []choice {
	if !k.called {
		return to
	}
	return append(to, c)
}

// id returns the identity of the variable. In each schedule nobody waits at first.
func (v *Cond) id() uint64 {
	id, fresh := v.mark.get()
	if fresh {
		v.waiters = nil
	}
	return id
}

// Wait releases the lock, waits for a call, and takes the lock again.
func (v *Cond) Wait(unlock, lock func()) {
	id, n := v.id(), uint64(len(v.waiters))
	if x.current == nil {
		Failf("Wait: nobody calls")
	}
	k := &ticket{}
	v.waiters = append(v.waiters, k)
	See(n)
	changed(id, n, n+1)
	unlock()
	point("Wait", k)
	lock()
}

// Call lets up to n callers of Wait go on, in the order of their calls.
func (v *Cond) Call(n int, what string) {
	id := v.id()
	point(what, nil)
	for ; n > 0 && len(v.waiters) > 0; n-- {
		v.waiters[0].called = true
		v.waiters = v.waiters[1:]
		left := uint64(len(v.waiters))
		changed(id, left+1, left)
	}
}

// cases are what Select waits for.
type cases []func() bool

func (l cases) ready(_ *thread, c choice, to []choice) []choice {
	for i, ready := range l {
		if ready() {
			c.proc = i
			to = append(to, c)
		}
	}
	return to
}

// Select waits until a case is ready, and returns its number: of several that are, any. A case follows from what variables
// hold, and is no scheduling point.
func Select(what string, ready ...func() bool) int {
	t := point(what, cases(ready))
	if t == nil {
		Failf("%s: alone", what)
	}
	t.reads(uint64(x.chosen.proc))
	return x.chosen.proc
}
