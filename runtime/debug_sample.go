//go:build pooldebug

package runtime

// The red zones of a block that is freed on a stream are copied in the order of that stream, behind the work on the block, and looked at when the stream
// has come so far. By then others may have the memory.

// sample is such a copy on its way.
type sample struct {
	block       *sighting
	far         Inspector
	on          Stream
	end         Mark // behind the copy
	slot        []byte
	front, tail []byte // parts of the slot
}

const (
	mostSamples = 4096 // of a pool: blocks beyond that, on streams that come nowhere, are not looked at
	someSamples = 64   // so many more, and those that have come are looked at
)

// sample has a stream copy the red zones of a block that is freed on it, and fill the block. It reports false if the stream takes no work.
func (w *watching) sample(b *sighting, on Stream) bool {
	if b.bare || b.far == nil {
		return false
	}
	m := sample{block: b, far: b.far, on: on}
	var chores []Chore
	if n := int(b.front + b.tail); n > 0 && len(w.samples) < mostSamples {
		if slot, err := b.far.Slot(zoneMost + frontMost); err == nil {
			m.slot, m.front, m.tail = slot, slot[:b.front], slot[b.front:n]
			chores = m.copies()
		}
	}
	chores = b.chores(chores, 0, b.bytes, fillDead)
	end, err := b.far.Queue(on, chores)
	switch {
	case err == nil && m.slot != nil:
		m.end = end
		w.samples = append(w.samples, m)
		return true
	case err == nil:
		b.far.Forget(end)
	case m.slot != nil:
		b.far.Return(m.slot)
	}
	return err == nil
}

// copies are the chores that make the sample.
func (m *sample) copies() (list []Chore) {
	b := m.block
	for _, part := range []struct {
		at uint64
		to []byte
	}{{b.place - b.front, m.front}, {b.place + b.bytes, m.tail}} {
		if n := uint64(len(part.to)); n > 0 {
			list = append(list, Chore{Addr: part.at, Bytes: n, To: part.to})
		}
	}
	return list
}

// gather looks at the samples whose streams have come so far, and returns what is wrong with them. If all is set, it waits for the others. The lock is held.
func (w *watching) gather(all bool, unit string) (wrong []string) {
	behind := map[Stream]bool{} // streams of which one was not done: those after it are not either
	left := w.samples[:0]
	for _, m := range w.samples {
		text, done := "", false
		if !behind[m.on] {
			text, done = m.look(all)
		}
		switch {
		case !done:
			behind[m.on] = true
			left = append(left, m)
		case text != "":
			wrong = append(wrong, text+m.block.text(unit))
		}
	}
	clear(w.samples[len(left):])
	w.samples = left
	return wrong
}

// gatherSome does so now and then, so that samples do not pile up.
func (w *watching) gatherSome(unit string) []string {
	if len(w.samples)%someSamples != someSamples-1 {
		return nil
	}
	return w.gather(false, unit)
}

// look says what is wrong with a sample, "" if nothing is, or if it cannot be told because the driver failed. It reports false if the stream has not come so far,
// unless it is to wait.
func (m *sample) look(wait bool) (text string, done bool) {
	var err error
	if wait {
		err = m.far.Sync(m.end)
	} else if done, err = m.far.Done(m.end); !done && err == nil {
		return "", false
	}
	if err == nil {
		text = m.block.harm(m.front, m.tail)
	}
	m.far.Forget(m.end)
	m.far.Return(m.slot)
	return text, true
}
