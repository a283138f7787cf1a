//go:build pooldebug

package runtime

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// explain tells what is known of an address that was refused: the block that was there, or the one that it lies in or next to.
func (w *watching) explain(place uint64) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.about(place)
}

// about is explain with the lock held.
func (w *watching) about(place uint64) string {
	if w.blocks == nil {
		return ""
	}
	if b := w.blocks[place]; b != nil {
		return b.text("bytes")
	}
	if b := w.past.blocks[place]; b != nil {
		return b.text("bytes")
	}
	b := w.nearest(place)
	if b == nil {
		return "; the pool has no block"
	}
	var near strings.Builder
	switch at := int64(place - b.place); {
	case at < 0:
		fmt.Fprintf(&near, "; the nearest block begins %d bytes behind it", -at)
	case uint64(at) < b.bytes:
		fmt.Fprintf(&near, "; it is byte %d of a block", at)
	default:
		fmt.Fprintf(&near, "; the nearest block ends %d bytes in front of it", uint64(at)-b.bytes)
	}
	return near.String() + b.text("bytes")
}

// knew reports whether an address is that of a block that was freed, though the suballocator may have forgotten.
func (w *watching) knew(place uint64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.blocks[place] == nil && w.past.blocks[place] != nil
}

// nearest is the block that an address lies in or is closest to, nil if there is none.
func (w *watching) nearest(place uint64) (best *sighting) {
	least := ^uint64(0)
	for _, b := range w.blocks {
		d := uint64(0)
		switch {
		case place < b.place:
			d = b.place - place
		case place-b.place >= b.bytes:
			d = place - b.place - b.bytes + 1
		}
		if d < least || d == least && best != nil && b.serial > best.serial {
			best, least = b, d
		}
	}
	return best
}

// Leaks lists what is live, by the calls that it was handed out to, the most bytes first. nil without the tag pooldebug.
func (e *Engine) Leaks() []Leak {
	w := &e.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []Leak
	for _, b := range w.blocks {
		if b.state != blockHeld {
			all = append(all, Leak{Pool: e.name, Count: 1, Bytes: int64(b.bytes), Since: b.born.at, Goroutine: b.born.goroutine, Stack: b.born.stack, unit: e.unit()})
		}
	}
	return merged(all)
}

// liveText is the same as a part of an error.
func (e *Engine) liveText() string {
	var b strings.Builder
	for _, l := range e.Leaks() {
		b.WriteString("\n  " + l.String())
	}
	return b.String()
}

// leakEvent says what is lost when a pool ends by force.
func (e *Engine) leakEvent() {
	if u := e.usage(); e.closed || e.config.Uncounted || u.Live == 0 {
		return
	}
	p := e.liveError("close")
	e.note(EventLeak, p.Live, p)
}

// merged joins the leaks of one pool that have the same calls, and puts the most bytes first.
func merged(all []Leak) []Leak {
	byStack := map[string]int{}
	var out []Leak
	for _, l := range all {
		key := fmt.Sprint(l.Stack)
		at, known := byStack[key]
		if !known {
			byStack[key] = len(out)
			out = append(out, l)
			continue
		}
		o := &out[at]
		o.Count, o.Bytes = o.Count+l.Count, o.Bytes+l.Bytes
		if l.Since.Before(o.Since) {
			o.Since, o.Goroutine = l.Since, l.Goroutine
		}
	}
	slices.SortFunc(out, func(a, b Leak) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), a.Since.Compare(b.Since)) })
	return out
}
