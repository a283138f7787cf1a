//go:build pooldebug

package runtime

// Marked notes what was handed out when a mark was made, for Release.
func (e *Engine) Marked(mark any) {
	w := &e.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.marks == nil {
		w.marks = map[any]uint64{}
	}
	w.marks[mark] = w.serial
}

// Releasing says which mark is about to be released.
func (e *Engine) Releasing(mark any) {
	w := &e.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	w.since = w.marks[mark]
}

// swept ends the watch over the blocks that are taken back all at once: those behind the mark, or all. The pool's lock is held, and the memory is
// still there.
func (e *Engine) swept(all bool) {
	w := &e.watch
	var wrong []string
	w.mu.Lock()
	w.sweeps++
	from := w.since
	if all {
		from = 0
	}
	for m, serial := range w.marks {
		if serial > from || all {
			delete(w.marks, m)
		}
	}
	if all {
		wrong = w.gather(true, e.unit())
	}
	died := here()
	var far Inspector
	for place, b := range w.blocks {
		if b.serial <= from {
			continue
		}
		if b.state == blockLive {
			b.died = died
			w.count(b, -1)
		}
		if b.filled != 0 {
			_ = b.far.Sync(b.filled) // the memory may go, so the work must not be left behind
		}
		if z := b.zones(); z != "" {
			wrong = append(wrong, z+b.text(e.unit()))
		}
		if !b.shared {
			b.fill(0, b.bytes, fillDead)
		}
		if b.ptr == nil {
			far = b.far
		}
		delete(w.blocks, place)
		w.past.add(b)
	}
	if far != nil {
		_ = far.Settle()
	}
	w.mu.Unlock()
	for _, text := range wrong {
		e.accused(text)
	}
}

// lent notes that another process may use a block.
func (w *watching) lent(place uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if b := w.blocks[place]; b != nil {
		b.shared = true
	}
}

// unsettled leaves the memory alone of what was handed out while a Reset was under way: it may be of before or after. The pool's lock is held.
func (e *Engine) unsettled() {
	w := &e.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sweeps++
	for _, b := range w.blocks {
		b.bare, b.front, b.tail = true, 0, 0
	}
}
