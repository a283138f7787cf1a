package explore

import "unsafe"

// Value is what a variable holds: a number or a pointer.
type Value struct {
	N uint64
	P unsafe.Pointer
}

func (v Value) hash() uint64 {
	if v.P != nil {
		return identityOf(v.P)
	}
	return v.N
}

// Size is the size of a variable in bytes.
type Size uint8

// Pointer is the Size of a variable that holds a pointer.
const Pointer Size = 0

// Cell is a variable.
type Cell struct {
	id   uint64
	at   unsafe.Pointer
	size Size
}

// At returns the variable at an address. Its identity is that of the address.
func At(at unsafe.Pointer, size Size) Cell { return Cell{identityOf(at), at, size} }

// In returns the variable at an address, which has a mark.
func In(m *Mark, at unsafe.Pointer, size Size) Cell {
	id, _ := m.get()
	return Cell{id, at, size}
}

// get returns what the variable holds for threads that have no store in their buffer.
func (c Cell) get() Value {
	switch c.size {
	case 2:
		return Value{N: uint64(*(*uint16)(c.at))}
	case 4:
		return Value{N: uint64(*(*uint32)(c.at))}
	case 8:
		return Value{N: *(*uint64)(c.at)}
	}
	return Value{P: *(*unsafe.Pointer)(c.at)}
}

func (c Cell) set(v Value) {
	old := c.get()
	switch c.size {
	case 2:
		*(*uint16)(c.at) = uint16(v.N)
	case 4:
		*(*uint32)(c.at) = uint32(v.N)
	case 8:
		*(*uint64)(c.at) = v.N
	default:
		*(*unsafe.Pointer)(c.at) = v.P
	}
	changed(c.id, old.hash(), v.hash())
}

// Load is an atomic load.
func (c Cell) Load(what string) Value {
	t := point(what, nil)
	v := c.get()
	if t != nil {
		if own, ok := t.buffered(c.at); ok {
			v = own
		}
		t.reads(v.hash())
	}
	if x.verbose() {
		printf("    = %#x", v.hash())
	}
	return v
}

// Store is an atomic store.
func (c Cell) Store(v Value, what string) {
	if t := point(what, nil); t != nil {
		t.drain()
	}
	if x.verbose() {
		printf("    := %#x", v.hash())
	}
	c.set(v)
}

// Swap is an atomic store that returns the old value.
func (c Cell) Swap(v Value, what string) (old Value) {
	return c.Update(what, func(Value) Value { return v })
}

// Update is an atomic change. It returns the old value.
func (c Cell) Update(what string, f func(Value) Value) (old Value) {
	t := point(what, nil)
	if t != nil {
		t.drain()
	}
	old = c.get()
	now := f(old)
	c.set(now)
	if t != nil {
		t.reads(old.hash())
	}
	if x.verbose() {
		printf("    %#x -> %#x", old.hash(), now.hash())
	}
	return old
}

// CompareAndSwap is an atomic change from old to now, if the variable holds old. A thread that fails has not read the value.
func (c Cell) CompareAndSwap(old, now Value, what string) bool {
	t := point(what, nil)
	if t != nil {
		t.drain()
	}
	v := c.get()
	done := v == old
	if done {
		c.set(now)
	}
	if t != nil {
		t.reads(Truth(done))
	}
	if x.verbose() {
		printf("    %#x: %#x -> %#x %t", v.hash(), old.hash(), now.hash(), done)
	}
	return done
}

// Truth is the number of a bool: 1 for true.
func Truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// entry is a store in a buffer.
type entry struct {
	Cell
	value Value
}

// StoreRelaxed is a store that other threads may see later.
func (c Cell) StoreRelaxed(v Value, what string) {
	t := point(what, nil)
	if x.verbose() {
		printf("    ~ %#x", v.hash())
	}
	if t == nil {
		c.set(v)
		return
	}
	t.wrote = true
	t.buffer = append(t.buffer, entry{c, v})
}

// buffered returns the last store to an address in the thread's buffer.
func (t *thread) buffered(at unsafe.Pointer) (v Value, ok bool) {
	for i := len(t.buffer) - 1; i >= 0; i-- {
		if t.buffer[i].at == at {
			return t.buffer[i].value, true
		}
	}
	return v, false
}

// overtakes reports whether an earlier store in the buffer is to the variable of store i.
func (t *thread) overtakes(i int) bool {
	for j := range i {
		if t.buffer[j].at == t.buffer[i].at {
			return true
		}
	}
	return false
}

// finish lets others see a store.
func (t *thread) finish(i int) {
	e := t.buffer[i]
	t.buffer = append(t.buffer[:i], t.buffer[i+1:]...)
	if x.verbose() {
		printf("T%d's store of %#x is seen", t.number, e.value.hash())
	}
	e.set(e.value)
}

// drain lets others see all stores of the thread.
func (t *thread) drain() {
	for len(t.buffer) > 0 {
		t.finish(0)
	}
}
