//go:build pooldebug

package poolimpl

// NoteMark notes what was handed out when a mark was made, for Release.
func (e *Engine) NoteMark(mark any) {
	d := &e.observed.debug
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.marks == nil {
		d.marks = map[any]uint64{}
	}
	d.marks[mark] = d.serial
}

// NoteRelease says which mark is about to be released.
func (e *Engine) NoteRelease(mark any) {
	d := &e.observed.debug
	d.mu.Lock()
	defer d.mu.Unlock()
	d.since = d.marks[mark]
}

// swept forgets the blocks that are taken back all at once: those behind the mark, or all. The pool's lock is held, and the memory is
// still there.
func (e *Engine) swept(all bool) {
	d := &e.observed.debug
	var wrong []string
	d.mu.Lock()
	d.sweeps++
	from := d.since
	if all {
		from = 0
	}
	for m, serial := range d.marks {
		if serial > from || all {
			delete(d.marks, m)
		}
	}
	if all {
		wrong = d.gather(true, e.config.unit())
	}
	freedAt := here()
	var far Inspector
	for place, b := range d.blocks {
		if b.serial <= from {
			continue
		}
		if b.state == blockLive {
			b.freedAt = freedAt
			d.count(b, -1)
		}
		if b.filled != 0 {
			_ = b.far.Sync(b.filled) // the memory may go, so the work must not be left behind
		}
		if z := b.checkZones(); z != "" {
			wrong = append(wrong, z+b.text(e.config.unit()))
		}
		if !b.shared {
			b.fill(0, b.bytes, fillDead)
		}
		if b.ptr == nil {
			far = b.far
		}
		delete(d.blocks, place)
		d.recent.add(b)
	}
	if far != nil {
		_ = far.SyncFills()
	}
	d.mu.Unlock()
	for _, text := range wrong {
		e.accused(text)
	}
}

// noteShared notes that another process may use a block.
func (d *debugState) noteShared(place uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if b := d.blocks[place]; b != nil {
		b.shared = true
	}
}

// unguardAll leaves the memory alone of what was handed out while a Reset was under way: it may be of before or after. The pool's lock is held.
func (d *debugState) unguardAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sweeps++
	for _, b := range d.blocks {
		b.unguarded, b.front, b.tail = true, 0, 0
	}
}
