package scenario

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/tests/schedules/explore"
)

// units returns the units of a block.
func (r *run) units(o *operation) uint64 { return (o.size + r.Short) / r.Unit }

// unitsIn returns the units of live and pending blocks of a chunk.
func (s State) unitsIn(slot uint32) (n uint64) {
	s.each(func(o *operation) {
		if o.slot == slot {
			n += s.run.units(o)
		}
	})
	return n
}

// each calls f for the operation that has made each block live or pending.
func (s State) each(f func(o *operation)) {
	for b := s.live | s.pending; b != 0; b &= b - 1 {
		f(&s.run.ops[bits.TrailingZeros64(b)])
	}
}

// Free returns the units of a chunk that no block has which is live or pending.
func (s State) Free(slot uint32) uint64 { return s.run.Chunks[slot] - s.unitsIn(slot) }

// NoRun reports whether no chunk has so many free units in a row.
func (s State) NoRun(units uint64) bool {
	for slot, n := range s.run.Chunks {
		if !s.Has(uint32(slot)) {
			continue
		}
		taken := make([]bool, n)
		s.each(func(o *operation) {
			for i := range s.run.units(o) {
				if o.slot == uint32(slot) {
					taken[(o.addr-s.run.base(o.slot))/s.run.Unit+i] = true
				}
			}
		})
		row := uint64(0)
		for _, t := range taken {
			if row++; t {
				row = 0
			}
			if row == units {
				return false
			}
		}
	}
	return true
}

// Has reports whether a chunk is there.
func (s State) Has(slot uint32) bool { return s.Chunks>>slot&1 != 0 }

// mayFail reports whether a request may find no block.
func (s State) mayFail(o *operation) bool {
	r := s.run
	switch {
	case o.kind == 'q' || o.kind == 'l' && r.Partial || r.meets(o, "eESX"):
		return true
	case r.Waste != nil:
		return r.Waste(s, r.units(o))
	}
	for slot := range r.Chunks {
		if s.Has(uint32(slot)) && s.Free(uint32(slot)) >= r.units(o) {
			return false
		}
	}
	return true
}

// meets reports whether an operation of some kind overlaps another: Evict and Shut seal the free blocks of chunks for a moment, and Steal moves a chunk.
func (r *run) meets(o *operation, kinds string) bool {
	for i := range r.ops {
		p := &r.ops[i]
		if strings.IndexByte(kinds, p.kind) >= 0 && p.begun < o.end && o.begun < p.end {
			return true
		}
	}
	return false
}

// after returns the state after an operation. It reports false if its result cannot be so.
func (s State) after(i int) (State, bool) {
	o := &s.run.ops[i]
	switch o.kind {
	case 'a', 'A', 'l', 'q', 'C', 'b':
		if !o.ok {
			return s, s.mayFail(o)
		}
		was := s.at(s.pending, o)
		if o.kind == 'b' {
			s.pending &^= was
		}
		ok := (o.kind == 'b') == (was != 0) &&
			s.Has(o.slot) && o.addr+o.size <= s.run.base(o.slot)+s.run.Unit*s.run.Chunks[o.slot]
		s.each(func(p *operation) { ok = ok && (o.addr+o.size <= p.addr || p.addr+p.size <= o.addr) })
		s.live |= 1 << i
		return s, ok
	case 'f', 'r', 'd':
		return s.afterFree(i)
	case 'c':
		was := s.at(s.pending, o)
		s.pending &^= was
		return s, was != 0 && o.verdict <= poolimpl.Emptied
	case 'e', 'E':
		free := s.Has(o.slot) && s.unitsIn(o.slot) == 0
		if o.ok {
			s.Chunks &^= 1 << o.slot
		}
		return s, free == o.ok || !o.ok && s.run.Waste != nil
	case 'X':
		if free := s.live|s.pending == 0; free != o.ok {
			return s, false
		} else if free {
			s.Chunks = 0
		}
	case 'z': // Reset
		s.live, s.pending = 0, 0
	case '+':
		s.Chunks |= 1 << o.slot
	}
	return s, true
}

// at returns those of some blocks that an operation is for.
func (s State) at(some uint64, o *operation) (found uint64) {
	for b := some; b != 0; b &= b - 1 {
		if p := &s.run.ops[bits.TrailingZeros64(b)]; (p.addr == o.addr || p.addr == o.next) && p.size == o.size {
			found |= b & -b
		}
	}
	return found
}

func (s State) afterFree(i int) (State, bool) {
	o := &s.run.ops[i]
	found := s.at(s.live, o)
	live := found != 0 && (o.next == 0 || bits.OnesCount64(found) == 2)
	switch o.verdict {
	case poolimpl.Freed, poolimpl.Emptied:
		s.live &^= found
		if o.kind == 'd' {
			s.pending |= 1 << i
		}
		return s, live
	case poolimpl.Double:
		return s, !live || s.run.Forgets && s.run.unordered(o)
	}
	for slot := range s.run.Chunks {
		base := s.run.base(uint32(slot))
		if s.Has(uint32(slot)) && o.addr >= base && o.addr < base+s.run.Unit*s.run.Chunks[slot] {
			return s, s.run.Waste != nil && found == 0
		}
	}
	return s, true
}

// unordered reports whether a free is not ordered behind the allocation of its block, which another thread has not handed over: such a free
// may come as if before the allocation.
func (r *run) unordered(o *operation) bool {
	for i := range r.ops {
		if p := &r.ops[i]; p.allocates() && p.ok && p.thread >= 0 && p.thread != o.thread && p.addr == o.addr {
			return !o.handed
		}
	}
	return false
}

// point is a set of operations that have been done, and the state after them.
type point struct {
	done uint64
	State
}

// search returns a state to which all operations lead in some order. All orders lead to one, unless there is a Reset: a block that is allocated meanwhile may be
// live or not, as Usage says.
func (p point) search(seen map[point]bool) (State, bool) {
	all := uint64(1)<<len(p.run.ops) - 1
	if p.done == all {
		return p.State, !p.run.resets || uint64(bits.OnesCount64(p.live)) == p.run.pool.Usage().Live
	}
	if seen[p] {
		return State{}, false
	}
	seen[p] = true
	first := 1 << 30 // the end of an operation that is not done; later ones come later
	for b := all &^ p.done; b != 0; b &= b - 1 {
		first = min(first, p.run.ops[bits.TrailingZeros64(b)].end)
	}
	for b := all &^ p.done; b != 0; b &= b - 1 {
		i := bits.TrailingZeros64(b)
		if p.run.ops[i].begun > first {
			continue
		}
		if next, ok := p.after(i); ok {
			if end, ok := (point{p.done | 1<<i, next}).search(seen); ok {
				return end, true
			}
		}
	}
	return State{}, false
}

// finish checks a schedule that has ended.
func (r *run) finish() {
	end, ok := point{0, State{run: r}}.search(map[point]bool{})
	if !ok {
		r.fault("no order of the operations explains their results")
	}
	r.Check(r.pool)
	r.usage(end)
	r.tells(end)
	n := len(r.ops)
	for last := -1; r.one(-1, "A", &last); { // until no block is free
	}
	for i := n; i < len(r.ops); i++ {
		o := &r.ops[i]
		if end, ok = end.after(i); !ok && o.ok {
			r.fault(fmt.Sprintf("the block at %#x has two owners", o.addr))
		} else if !ok {
			r.fault("free blocks are lost")
		}
	}
	r.usage(end)
	for b := end.live; b != 0; b &= b - 1 {
		o := r.ops[bits.TrailingZeros64(b)]
		if _, v := r.pool.Free(o.addr, o.size); v > poolimpl.Emptied {
			r.fault(fmt.Sprintf("the block at %#x cannot be freed: %v", o.addr, v))
		}
	}
	end.live = 0
	r.Check(r.pool)
	r.usage(end)
	for slot := range r.Chunks {
		if end.Has(uint32(slot)) && !r.pool.Evict(uint32(slot)) {
			r.fault(fmt.Sprintf("chunk %d is empty, and cannot be removed", slot))
		}
	}
	r.usage(end)
}

// usage compares what the suballocator has counted.
func (r *run) usage(s State) {
	var live, bytes, allocs uint64
	s.pending = 0
	s.each(func(o *operation) { live, bytes = live+1, bytes+o.size })
	for i := range r.ops {
		if r.ops[i].allocates() && r.ops[i].ok {
			allocs++
		}
	}
	u := r.pool.Usage()
	if u.Live != live || u.LiveBytes != bytes || !r.Uncounted && (u.Allocs != allocs || (u.PeakBytes < bytes || r.Waste == nil && u.PeakBytes > r.most())) {
		r.fault(fmt.Sprintf("Usage is %+v with %d blocks of %d bytes live, after %d allocations", u, live, bytes, allocs))
	}
}

// most returns the largest number of bytes that may have been live at one time: a block is so from the begin of its allocation to the end of its free.
func (r *run) most() (most uint64) {
	for i := range r.ops {
		var live uint64
		for j, now := 0, r.ops[i].begun; j < len(r.ops); j++ {
			switch o := &r.ops[j]; {
			case o.allocates() && o.ok && o.begun <= now:
				live += o.size
			case strings.IndexByte("frd", o.kind) >= 0 && o.verdict <= poolimpl.Emptied && o.end < now:
				live -= o.size
				if o.next != 0 {
					live -= o.size
				}
			}
		}
		most = max(most, live)
	}
	return most
}

// tells checks that one of the frees that have emptied a chunk has said so.
func (r *run) tells(s State) {
	for slot := range r.Chunks {
		freed, told := false, !r.Trims || !s.Has(uint32(slot)) || s.unitsIn(uint32(slot)) > 0
		for i := range r.ops {
			if o := &r.ops[i]; o.slot == uint32(slot) && o.thread >= 0 {
				frees := strings.IndexByte("frc", o.kind) >= 0
				freed = freed || frees && o.verdict == poolimpl.Freed
				told = told || frees && o.verdict == poolimpl.Emptied || o.ok && strings.IndexByte("eE+", o.kind) >= 0
			}
		}
		if freed && !told {
			r.fault(fmt.Sprintf("nobody is told that chunk %d is empty", slot))
		}
	}
}

func (r *run) fault(what string) {
	var b strings.Builder
	for i := range r.ops {
		o := &r.ops[i]
		if o.thread < 0 {
			continue
		}
		fmt.Fprintf(&b, " T%d %s", o.thread, o.word)
		switch {
		case o.allocates() && o.ok:
			fmt.Fprintf(&b, "=%#x", o.addr)
		case strings.IndexByte("frdc", o.kind) >= 0:
			fmt.Fprintf(&b, "=%v", o.verdict)
		case strings.IndexByte("+uz", o.kind) < 0:
			fmt.Fprintf(&b, "=%t", o.ok)
		}
		fmt.Fprintf(&b, " [%d,%d]", o.begun, o.end)
	}
	explore.Failf("%s:%s", what, b.String())
}
