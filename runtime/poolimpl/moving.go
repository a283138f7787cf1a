package poolimpl

import (
	"cmp"
	"slices"
)

// A page in flight cannot be unmapped, as a stream may be at work there. But it can move: its memory is mapped a second time, where a request needs memory. What
// was in flight on the page is then in flight at the new place, so the stream of the request waits for the marks before it uses the memory. The place that
// the page has left is barred in the core until its streams have passed those marks; then it is a hole like others.

// PageMove says that the memory of a page comes to another place.
type PageMove struct{ From, To uint64 } // addresses

// leftPlace is a place that a page has left, and where a stream may be at work until it passes a mark.
type leftPlace struct{ addr, mark uint64 }

// movable is a page without blocks, and the newest mark that a request has to be ordered behind before it may use the memory; 0 if there is none.
type movable struct{ addr, mark uint64 }

// moveTo moves pages to where the request needs memory: as many as so many bytes take, or with all set none if there are fewer. Unless the result is unchanged,
// the lock may have been released, and the caller has to try again. Pages that callers without the lock have taken meanwhile stay: the request may have others move.
func (l *paged) moveTo(p place, r request, bytes int64, all bool) change {
	if !l.mayMove(r) {
		return unchanged
	}
	due := l.movables(r, p.gap)
	want := int(roundUp(bytes, l.Page) / l.Page)
	if len(due) == 0 || all && len(due) < want {
		return unchanged
	}
	n := min(len(due), want)
	if short := 2*int64(len(l.left)+n)*l.Page - l.e.chunks.bytes(); short > 0 { // places left are addresses that nobody can have: half of all at most
		return l.moreToLeave(short)
	}
	if moves := l.movesTo(p.gap, oldest(due, n)); l.carryOut(moves) < len(moves) {
		return freed
	}
	return moved
}

// carryOut moves pages, or leaves them where they are if the source fails. The lock is released while the source works: nobody else grows the pool or returns
// ranges of addresses meanwhile. The result is how many pages there were to move.
func (l *paged) carryOut(moves []PageMove) (n int) {
	err := errPanic
	if moves = l.leave(moves); len(moves) == 0 {
		return 0
	}
	l.moving = true
	defer func() { // also if the source panics
		if l.moving = false; err != nil {
			l.comeBack(moves)
			return
		}
		for _, m := range moves {
			l.insert(Extent{m.To, uint64(l.Page)}.chunk())
		}
	}()
	l.e.activity.visit(func() {
		defer l.e.memory.meter.end(l.e.memory.meter.begin())
		err = l.Move(moves)
	})
	return len(moves)
}

// moreToLeave reserves another range of addresses, so that pages may leave their places and enough addresses are left.
func (l *paged) moreToLeave(bytes int64) change {
	if l.adding {
		return unchanged
	}
	x, err := l.reserve(bytes)
	if err != nil {
		return moved
	}
	l.enter(x)
	return reserved
}

// movables lists the pages without blocks outside a range, by address.
func (l *paged) movables(r request, outside Extent) (list []movable) {
	for _, row := range l.core.FreePages() {
		for _, x := range row.without(outside) {
			for page := range l.pages(x) {
				list = append(list, movable{addr: page.Addr})
			}
		}
	}
	for _, f := range l.e.streams.inFlight {
		f.noteAhead(list, uint64(l.Page), f.before(r))
	}
	return list
}

// oldest keeps the n pages with the oldest marks: the streams are most likely to pass those first. The order stays.
func oldest(list []movable, n int) []movable {
	marks := make([]uint64, len(list))
	for i, p := range list {
		marks[i] = p.mark
	}
	slices.Sort(marks)
	last := marks[n-1]
	first, _ := slices.BinarySearch(marks, last)
	n -= first // of those with the last mark
	return slices.DeleteFunc(list, func(p movable) bool {
		if p.mark == last {
			n--
			return n < 0
		}
		return p.mark > last
	})
}

// noteAhead notes in pages, by address, the newest mark of each that is newer than another. Cost: linear in both lists.
func (f *inFlight) noteAhead(pages []movable, size, before uint64) {
	rest := f.ranges
	for i := range pages {
		p := &pages[i]
		for len(rest) > 0 && rest[0].end() <= p.addr {
			rest = rest[1:]
		}
		for _, h := range rest {
			if h.Addr >= p.addr+size {
				break
			}
			if h.mark > before {
				p.mark = max(p.mark, h.mark)
			}
		}
	}
}

// movesTo pairs pages with the first pages of a range that have no memory, both by address.
func (l *paged) movesTo(gap Extent, due []movable) (moves []PageMove) {
	for _, hole := range l.core.Holes(gap) {
		for page := range l.pages(hole) {
			if len(moves) == len(due) {
				return moves
			}
			moves = append(moves, PageMove{due[len(moves)].addr, page.Addr})
		}
	}
	return moves
}

// leave takes the memory of pages from the core, and returns the moves without those of pages on which a [SharedCore] has meanwhile handed out a block. What is in
// flight there goes with the memory, as nobody can allocate at the new place before it comes.
func (l *paged) leave(moves []PageMove) []PageMove {
	page := uint64(l.Page)
	var rows extents
	for _, m := range moves {
		rows = append(rows, Extent{m.From, page})
	}
	rows = l.core.Vacate(l.joined(rows))
	moves = slices.DeleteFunc(moves, func(m PageMove) bool { return !rows.touch(m.From, page) })
	if len(moves) == 0 {
		return nil
	}
	for _, f := range l.e.streams.inFlight {
		for _, x := range f.shift(moves, page) {
			at, _ := slices.BinarySearchFunc(f.left, x.mark+1, leftPlace.after)
			f.left = slices.Insert(f.left, at, x)
			l.left[x.addr]++
		}
	}
	l.e.streams.showInFlight(&l.e.core)
	for _, m := range moves {
		if l.left[m.From] > 0 {
			l.e.core.moving.Bar(Extent{m.From, page})
		}
	}
	return moves
}

// comeBack undoes leave. Some streams may have passed meanwhile what they had in flight.
func (l *paged) comeBack(moves []PageMove) {
	page := uint64(l.Page)
	back := make([]PageMove, len(moves))
	for i, m := range moves {
		back[i] = PageMove{m.To, m.From}
	}
	for _, f := range l.e.streams.inFlight {
		f.shift(back, page)
		f.left = slices.DeleteFunc(f.left, func(x leftPlace) bool {
			return slices.ContainsFunc(moves, func(m PageMove) bool { return m.From == x.addr })
		})
	}
	l.e.streams.showInFlight(&l.e.core) // before the blocks can be allocated
	for _, m := range moves {
		x := Extent{m.From, page}
		if l.left[m.From] > 0 {
			delete(l.left, m.From)
			l.e.core.moving.Unbar(x)
		}
		l.insert(x.chunk())
	}
}

// shift moves what is in flight on pages along with their memory. Both places ascend. It returns the places left where something was in flight.
func (f *inFlight) shift(moves []PageMove, page uint64) (left []leftPlace) {
	first, last := moves[0].From, moves[len(moves)-1].From
	from, to := f.ranges.overlapping(Extent{first, last + page - first})
	var stay, there rangesInFlight
	for _, h := range f.ranges[from:to] {
		for len(moves) > 0 && moves[0].From+page <= h.Addr {
			moves = moves[1:]
		}
		at := h.Addr // what lies below is done
		for _, m := range moves {
			if m.From >= h.end() {
				break
			}
			if m.From > at {
				stay = append(stay, rangeInFlight{Extent{at, m.From - at}, h.stream, h.mark})
				at = m.From
			}
			end := min(h.end(), m.From+page)
			there = append(there, rangeInFlight{Extent{at - m.From + m.To, end - at}, h.stream, h.mark})
			left = noteLeft(left, leftPlace{m.From, h.mark})
			at = end
		}
		if at < h.end() {
			stay = append(stay, rangeInFlight{Extent{at, h.end() - at}, h.stream, h.mark})
		}
	}
	f.ranges = slices.Replace(f.ranges, from, to, stay...)
	f.ranges.merge(there)
	return left
}

// noteLeft adds a place to those left, which ascend, or the newer mark to the last of them.
func noteLeft(left []leftPlace, x leftPlace) []leftPlace {
	if k := len(left) - 1; k >= 0 && left[k].addr == x.addr {
		left[k].mark = max(left[k].mark, x.mark)
		return left
	}
	return append(left, x)
}

// after compares the mark of a place with another one.
func (x leftPlace) after(mark uint64) int { return cmp.Compare(x.mark, mark) }

// passed follows up that a stream has passed a mark: at the places that no stream uses any more, memory may come again.
func (l *paged) passed(f *inFlight, m mark) {
	for len(f.left) > 0 && f.left[0].mark <= m.number {
		addr := f.left[0].addr
		f.left = f.left[1:]
		if l.left[addr]--; l.left[addr] == 0 {
			delete(l.left, addr)
			l.e.core.moving.Unbar(Extent{addr, uint64(l.Page)})
		}
	}
}
