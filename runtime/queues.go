package runtime

import "slices"

// streamQueues holds the blocks of a pool that were freed on a stream and are not free for all yet: the pool's user gave them back, but the
// stream may still be working with them. They are pending in the lane of that stream. From there a block goes either to an
// allocation of the same size on the same stream, which comes behind that work anyhow, without asking the driver; or, once the
// work has completed, back to the suballocator.
//
// Blocks of a lane are freed in order, so one mark behind many of them covers all: an epoch. It is open until somebody needs to know
// (memory is short, or so many frees have gathered that asking costs each of them next to nothing); then it is closed with a mark.
//
// The zero value is empty and ready. The pool's lock orders the calls. Defer and Reuse cost a few nanoseconds; metadata is 48 bytes per
// pending block, without pointers.
type streamQueues struct {
	last   lastFreed // the block deferred last, if it is not in its lane yet
	list   []streamQueue
	recent int // index of the lane used last
	blocks []pendingBlock
	free   int32 // first unused element of blocks, a list through newer; 0: none
	count  int   // blocks in lanes
}

// epochSize is how many frees an epoch gathers before it is closed for their sake: an event costs about half a microsecond to
// record and to ask, so each free pays less than 10 ns.
const epochSize = 64

// lastFreed is a block on its way into a lane. A stream that frees and allocates in turn gets no further than here.
type lastFreed struct {
	stream Stream
	addr   uint64
	bytes  uint64 // 0: none
}

// Defer adds a block, of one byte at least, that was just freed on a stream. It reports whether an epoch, of any stream, should be
// closed. Part of the fast path.
func (qs *streamQueues) Defer(s Stream, addr, bytes uint64) (due bool) {
	if qs.last.bytes != 0 {
		due = qs.push()
	}
	qs.last = lastFreed{s, addr, bytes}
	return due
}

// Reuse takes out the block of exactly so many bytes that was freed on the stream last. Part of the fast path.
func (qs *streamQueues) Reuse(s Stream, bytes uint64) (addr uint64, ok bool) {
	if qs.last.bytes == bytes && qs.last.stream == s {
		qs.last.bytes = 0
		return qs.last.addr, true
	}
	return qs.search(s, bytes)
}

// flush puts the front block into its lane: whoever looks at lanes must do so first.
func (qs *streamQueues) flush() {
	if qs.last.bytes != 0 {
		qs.push()
	}
}

// push puts the front block into its lane. It reports whether the epoch has gathered enough.
func (qs *streamQueues) push() (due bool) {
	addr, bytes := qs.last.addr, qs.last.bytes
	qs.last.bytes = 0
	q := qs.queue(qs.last.stream)
	i := qs.newBlock()
	b := &qs.blocks[i]
	top := q.selectSize(bytes)
	b.addr, b.bytes, b.epoch = addr, bytes, q.epoch
	b.newer, b.older, b.after, b.before = 0, q.newest, 0, top
	if top != 0 {
		qs.blocks[top].after = i
	}
	if q.newest != 0 {
		qs.blocks[q.newest].newer = i
	} else {
		q.oldest = i
	}
	q.newest, q.top = i, i
	q.unsealed++
	qs.count++
	return q.unsealed >= epochSize && !q.sealing
}

// search takes a block out of the stream's lane.
func (qs *streamQueues) search(s Stream, bytes uint64) (addr uint64, ok bool) {
	if qs.count == 0 {
		return 0, false
	}
	q := qs.find(s)
	if q == nil {
		return 0, false
	}
	i := q.selectSize(bytes)
	if i == 0 {
		return 0, false
	}
	addr = qs.blocks[i].addr
	qs.remove(q, i)
	return addr, true
}

// find returns the lane of a stream, nil if there is none. The next call that makes a lane may move it.
func (qs *streamQueues) find(s Stream) *streamQueue {
	if qs.recent < len(qs.list) && qs.list[qs.recent].stream == s {
		return &qs.list[qs.recent]
	}
	for i := range qs.list {
		if qs.list[i].stream == s {
			qs.recent = i
			return &qs.list[i]
		}
	}
	return nil
}

// queue returns the lane of a stream. If there is none it makes one, in place of one that nothing is left in, if there is any.
func (qs *streamQueues) queue(s Stream) *streamQueue {
	if q := qs.find(s); q != nil {
		return q
	}
	qs.recent = slices.IndexFunc(qs.list, func(q streamQueue) bool { return q.newest == 0 && len(q.sealed) == 0 && !q.sealing })
	if qs.recent < 0 {
		qs.recent = len(qs.list)
		qs.list = append(qs.list, streamQueue{})
	}
	qs.list[qs.recent] = streamQueue{stream: s, epoch: 1}
	return &qs.list[qs.recent]
}

func (qs *streamQueues) newBlock() int32 {
	if i := qs.free; i != 0 {
		qs.free = qs.blocks[i].newer
		return i
	}
	if len(qs.blocks) == 0 {
		qs.blocks = append(qs.blocks, pendingBlock{}) // number 0 is none
	}
	qs.blocks = append(qs.blocks, pendingBlock{})
	return int32(len(qs.blocks) - 1)
}

// Count returns how many blocks are pending.
func (qs *streamQueues) Count() int {
	if qs.last.bytes != 0 {
		return qs.count + 1
	}
	return qs.count
}

// each calls see with the bytes of each pending block and its stream.
func (qs *streamQueues) each(see func(Stream, uint64)) {
	qs.flush()
	for i := range qs.list {
		for b := qs.list[i].oldest; b != 0; b = qs.blocks[b].newer {
			see(qs.list[i].stream, qs.blocks[b].bytes)
		}
	}
}
