//go:build pooldebug

package runtime

import (
	"encoding/binary"
	"runtime"
)

// siteTable is the calls that blocks were handed out to.
type siteTable struct {
	list   []Site
	number map[string]uint32 // by the addresses of the calls
}

// of returns the number of some calls, from 1 on.
func (t *siteTable) of(stack []uintptr) uint32 {
	var key []byte
	for _, pc := range stack {
		key = binary.LittleEndian.AppendUint64(key, uint64(pc))
	}
	if n := t.number[string(key)]; n > 0 {
		return n
	}
	if t.number == nil {
		t.number = map[string]uint32{}
	}
	var s Site
	frames(stack)(func(f runtime.Frame) bool {
		s.Frames = append(s.Frames, Frame{f.Function, f.File, f.Line})
		return true
	})
	t.list = append(t.list, s)
	n := uint32(len(t.list))
	t.number[string(key)] = n
	return n
}

// sightings adds to the live blocks among some pieces of a chunk when they were handed out, and to whom. A block that took the place of one that was freed
// meanwhile may be taken for it.
func (e *Engine) sightings(pieces []Piece, base uint64, sites *siteTable) {
	w := &e.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range pieces {
		p := &pieces[i]
		if p.State != PieceLive {
			continue
		}
		if b := w.blocks[(base+p.Off)*e.apart()]; b != nil {
			p.Since, p.Site = b.born.at.UnixNano(), sites.of(b.born.stack)
		}
	}
}
