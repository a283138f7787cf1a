package runtime

import "slices"

// Lanes holds the blocks of a pool that were freed on a stream and are not free for all yet: the pool's user gave them back, but the
// stream may still be working with them. They are parked in the lane of that stream. From there a block goes either to an
// allocation of the same size on the same stream, which comes behind that work anyhow, without asking the driver; or, once the
// work has completed, back to the suballocator.
//
// Blocks of a lane are freed in order, so one mark behind many of them covers all: an epoch. It is open until somebody needs to know
// (memory is short, or so many frees have gathered that asking costs each of them next to nothing); then it is closed with a mark.
//
// The zero value is empty and ready. The pool's lock orders the calls. Park and Unpark cost a few nanoseconds; metadata is 48 bytes per
// parked block, without pointers.
type Lanes struct {
	front  front // the block parked last, if it is not in its lane yet
	lanes  []lane
	last   int // index of the lane used last
	blocks []parkedBlock
	spare  int32 // first unused element of blocks, a list through newer; 0: none
	count  int   // blocks in lanes
}

// epochSize is how many frees an epoch gathers before it is closed for their sake: an event costs about half a microsecond to
// record and to ask, so each free pays less than 10 ns.
const epochSize = 64

// front is a block on its way into a lane. A stream that frees and allocates in turn gets no further than here.
type front struct {
	stream Stream
	addr   uint64
	bytes  uint64 // 0: none
}

// Park adds a block, of one byte at least, that was just freed on a stream. It reports whether an epoch, of any stream, should be
// closed. Part of the fast path.
func (l *Lanes) Park(s Stream, addr, bytes uint64) (due bool) {
	if l.front.bytes != 0 {
		due = l.stow()
	}
	l.front = front{s, addr, bytes}
	return due
}

// Unpark takes out the block of exactly so many bytes that was freed on the stream last. Part of the fast path.
func (l *Lanes) Unpark(s Stream, bytes uint64) (addr uint64, ok bool) {
	if l.front.bytes == bytes && l.front.stream == s {
		l.front.bytes = 0
		return l.front.addr, true
	}
	return l.search(s, bytes)
}

// settle puts the front block into its lane: whoever looks at lanes must do so first.
func (l *Lanes) settle() {
	if l.front.bytes != 0 {
		l.stow()
	}
}

// stow puts the front block into its lane. It reports whether the epoch has gathered enough.
func (l *Lanes) stow() (due bool) {
	addr, bytes := l.front.addr, l.front.bytes
	l.front.bytes = 0
	n := l.lane(l.front.stream)
	i := l.newBlock()
	b := &l.blocks[i]
	top := n.open(bytes)
	b.addr, b.bytes, b.epoch = addr, bytes, n.epoch
	b.newer, b.older, b.after, b.before = 0, n.newest, 0, top
	if top != 0 {
		l.blocks[top].after = i
	}
	if n.newest != 0 {
		l.blocks[n.newest].newer = i
	} else {
		n.oldest = i
	}
	n.newest, n.top = i, i
	n.fresh++
	l.count++
	return n.fresh >= epochSize && !n.busy
}

// search takes a block out of the stream's lane.
func (l *Lanes) search(s Stream, bytes uint64) (addr uint64, ok bool) {
	if l.count == 0 {
		return 0, false
	}
	n := l.find(s)
	if n == nil {
		return 0, false
	}
	i := n.open(bytes)
	if i == 0 {
		return 0, false
	}
	addr = l.blocks[i].addr
	l.remove(n, i)
	return addr, true
}

// find returns the lane of a stream, nil if there is none. The next call that makes a lane may move it.
func (l *Lanes) find(s Stream) *lane {
	if l.last < len(l.lanes) && l.lanes[l.last].stream == s {
		return &l.lanes[l.last]
	}
	for i := range l.lanes {
		if l.lanes[i].stream == s {
			l.last = i
			return &l.lanes[i]
		}
	}
	return nil
}

// lane returns the lane of a stream. If there is none it makes one, in place of one that nothing is left in, if there is any.
func (l *Lanes) lane(s Stream) *lane {
	if n := l.find(s); n != nil {
		return n
	}
	l.last = slices.IndexFunc(l.lanes, func(n lane) bool { return n.newest == 0 && len(n.closed) == 0 && !n.busy })
	if l.last < 0 {
		l.last = len(l.lanes)
		l.lanes = append(l.lanes, lane{})
	}
	l.lanes[l.last] = lane{stream: s, epoch: 1}
	return &l.lanes[l.last]
}

func (l *Lanes) newBlock() int32 {
	if i := l.spare; i != 0 {
		l.spare = l.blocks[i].newer
		return i
	}
	if len(l.blocks) == 0 {
		l.blocks = append(l.blocks, parkedBlock{}) // number 0 is none
	}
	l.blocks = append(l.blocks, parkedBlock{})
	return int32(len(l.blocks) - 1)
}

// Count returns how many blocks are parked.
func (l *Lanes) Count() int {
	if l.front.bytes != 0 {
		return l.count + 1
	}
	return l.count
}

// each calls see with the bytes of each parked block and its stream.
func (l *Lanes) each(see func(Stream, uint64)) {
	l.settle()
	for i := range l.lanes {
		for b := l.lanes[i].oldest; b != 0; b = l.blocks[b].newer {
			see(l.lanes[i].stream, l.blocks[b].bytes)
		}
	}
}
