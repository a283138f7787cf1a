package poolimpl

// slotList is a list of slots in some order. It has room at both ends, and a change moves the shorter part of the list: a chunk beyond all others, where most
// chunks come, costs the same however many there are.
type slotList struct {
	room     []uint32
	from, to int // the list is room[from:to]
}

// all returns the list. It is valid until the next change.
func (l *slotList) all() []uint32 { return l.room[l.from:l.to] }

// insert inserts a slot at an index.
func (l *slotList) insert(at int, slot uint32) {
	n := l.to - l.from
	front := 2*at < n
	if front && l.from == 0 || !front && l.to == len(l.room) {
		room := l.room
		if len(room) < 2*n+2 {
			room = make([]uint32, 4*n+16)
		}
		from := (len(room) - n) / 2
		copy(room[from:], l.all())
		l.room, l.from, l.to = room, from, from+n
	}
	if front {
		copy(l.room[l.from-1:], l.room[l.from:l.from+at])
		l.from--
	} else {
		copy(l.room[l.from+at+1:l.to+1], l.room[l.from+at:l.to])
		l.to++
	}
	l.room[l.from+at] = slot
}

// remove removes the slot at an index.
func (l *slotList) remove(at int) {
	if 2*at < l.to-l.from {
		copy(l.room[l.from+1:], l.room[l.from:l.from+at])
		l.from++
	} else {
		copy(l.room[l.from+at:], l.room[l.from+at+1:l.to])
		l.to--
	}
}
