package explore

import "unsafe"

// mix adds b to a hash.
func mix(a, b uint64) uint64 {
	a ^= b + 0x9E3779B97F4A7C15 + a<<6 + a>>2
	a ^= a >> 32
	a *= 0xD6E8FEB86659FD93
	a ^= a >> 29
	a *= 0x9FB21C651E98DF25
	return a ^ a>>32
}

// identity returns a new identity for what the running thread has made. It follows from what the thread has read, so a
// state does not depend on addresses, and what was made differently has another identity.
func identity() uint64 {
	if t := x.current; t != nil {
		t.fresh++
		return mix(mix(t.history, t.fresh), uint64(t.number))
	}
	x.alone++
	return mix(1, x.alone)
}

// identityAt returns the identity of what lies at an address.
func identityAt(at unsafe.Pointer) uint64 {
	if id, ok := known(at); ok {
		return id
	}
	return identity()
}

// Mark is the identity of a variable that has one as a field.
type Mark struct {
	epoch uint32
	id    uint64
}

// get returns the identity in this schedule, and whether it is new.
func (m *Mark) get() (id uint64, fresh bool) {
	if fresh = m.epoch != epoch; fresh {
		m.epoch, m.id = epoch, identityAt(unsafe.Pointer(m))
	}
	return m.id, fresh
}

// identityOf returns the identity of what a pointer points to.
func identityOf(p unsafe.Pointer) uint64 {
	if p == nil {
		return 0
	}
	id, ok := x.ids[p]
	if !ok {
		id = identityAt(p)
		x.ids[p] = id
	}
	return id
}

// changed notes that a variable has another value, by their hashes.
func changed(id, old, now uint64) {
	if t := x.current; t != nil {
		t.wrote = true
	}
	if old == now {
		return
	}
	x.memory ^= mix(id, old) ^ mix(id, now)
	x.rounds = 0
	for _, t := range x.threads {
		t.idle = false
	}
}

// appended adds the running thread to the history of a variable that is written by one thread after the other, such as a lock.
func appended(id uint64, past *uint64, now uint64) {
	next := mix(*past, now)
	changed(id, *past, next)
	*past = next
}

// state returns a hash of the state.
func (x *explorer) state() uint64 {
	k := mix(x.memory, 1)
	for _, t := range x.threads {
		h := mix(t.history, uint64(t.proc))
		for i, flag := range [...]bool{t.started, t.done, t.pinned, t.idle, t == x.current} {
			if flag {
				h = mix(h, uint64(i))
			}
		}
		for _, e := range t.buffer {
			h = mix(mix(h, e.id), e.value.hash())
		}
		k = mix(k, h)
	}
	return max(k, 1)
}

// left returns the budget that is left: seven bits of each kind.
func (x *explorer) left() (left uint32) {
	b, s := x.opt.Bound, x.spent
	for _, n := range [...]int{b.Preemptions - s.Preemptions, b.Moves - s.Moves, b.Delays - s.Delays} {
		left = left<<8 | uint32(min(max(n, 0), 127))
	}
	return left
}

// table is the set of states that were reached, each with the budget that was left.
type table struct {
	states []uint64 // 0 where there is none
	left   []uint32
	n      int
}

// visit reports whether a state is new, or was only reached with less budget.
func (t *table) visit(state uint64, left uint32) bool {
	if 4*t.n >= 3*len(t.states) {
		t.grow()
	}
	i := t.place(state)
	switch {
	case t.states[i] == 0:
		t.states[i], t.left[i] = state, left
		t.n++
		return true
	case covers(t.left[i], left):
		return false
	case covers(left, t.left[i]):
		t.left[i] = left
	}
	return true
}

// covers reports whether no part of a is less than that of b. The top bit of each part is free.
func covers(a, b uint32) bool {
	const top = 0x808080
	return ((a|top)-b)&top == top
}

// place returns where a state is, or may be put.
func (t *table) place(state uint64) uint64 {
	mask := uint64(len(t.states) - 1)
	i := state & mask
	for t.states[i] != 0 && t.states[i] != state {
		i = (i + 1) & mask
	}
	return i
}

func (t *table) grow() {
	old := *t
	t.states, t.left = make([]uint64, max(2*len(old.states), 1<<12)), make([]uint32, max(2*len(old.left), 1<<12))
	for j, state := range old.states {
		if state != 0 {
			i := t.place(state)
			t.states[i], t.left[i] = state, old.left[j]
		}
	}
}
