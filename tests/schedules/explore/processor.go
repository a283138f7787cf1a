package explore

// anywhere is the choice of a processor.
type anywhere struct{}

func (anywhere) ready(t *thread, c choice, to []choice) []choice {
	for i := range x.opt.Procs {
		p := (t.proc + i) % x.opt.Procs
		if owner := x.owners[p]; owner != nil && owner != t {
			continue
		}
		c := c
		c.proc = p
		if p != t.proc {
			c.cost.Moves++
		}
		to = append(to, c)
	}
	return to
}

// arrive goes on at the processor that was chosen. Goroutines that ran there before have left, so their stores are seen.
func (t *thread) arrive() uint32 {
	p := x.chosen.proc
	if p != t.proc {
		t.drain()
		t.proc = p
	}
	for _, u := range x.threads {
		if u != t && u.proc == p {
			u.drain()
		}
	}
	t.reads(uint64(p))
	return uint32(p)
}

// Pin pins the thread to a processor, and returns its number. What threads do while they are pinned to one processor is
// ordered.
func Pin() uint32 {
	t := point("Pin", anywhere{})
	if t == nil {
		return 0
	}
	p := t.arrive()
	t.pinned, t.wrote = true, false
	t.pins++
	x.owners[p] = t
	t.reads(x.order[p])
	return p
}

// Unpin ends Pin. It is no scheduling point, as what others can do before it they can do behind it.
func Unpin() {
	t := x.current
	if t == nil || x.ending {
		return
	}
	t.pinned = false
	x.owners[t.proc] = nil
	if t.wrote {
		appended(processor(t.proc), &x.order[t.proc], t.history)
	}
}

func processor(p int) uint64 { return mix(2, uint64(p)) }

// Proc returns the number of the processor that the thread runs on.
func Proc() uint32 {
	t := point("Proc", anywhere{})
	if t == nil {
		return 0
	}
	return t.arrive()
}

// Procs returns the number of processors.
func Procs() int { return x.opt.Procs }

// barrier waits for calls of Unpin.
type barrier []pinning

// pinning is a thread that was pinned, for the given time since it began.
type pinning struct {
	*thread
	pins int
}

func (b barrier) ready(_ *thread, c choice, to []choice) []choice {
	for _, p := range b {
		if p.pinned && p.thread.pins == p.pins {
			return to
		}
	}
	return append(to, c)
}

// Synchronize returns when each thread that is pinned has unpinned. It sees what these threads have written, and threads
// that pin afterwards see what the caller has.
func Synchronize() {
	t := point("Synchronize", nil)
	if t == nil {
		return
	}
	var b barrier
	for _, u := range x.threads {
		if u != t && u.pinned {
			b = append(b, pinning{u, u.pins})
			t.reads(uint64(u.number))
		}
	}
	point("Synchronize returns", b)
	for _, u := range x.threads {
		u.drain()
	}
	for p := range x.opt.Procs {
		t.reads(x.order[p])
		appended(processor(p), &x.order[p], t.history)
	}
}
