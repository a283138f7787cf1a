package poolimpl

import "slices"

// streamQueues holds the pending blocks of a pool: blocks freed on a stream that may still be using them. A block leaves its queue in one of two ways. An
// allocation of the same size on the same stream takes it at once, without a call of the driver, since the allocation is ordered behind that work. Or the
// work completes, and the block goes back to the suballocator.
//
// A pending block is either last or in the queue of its stream. A queue is in the order of frees, so one fence covers many blocks: those of an epoch. An
// epoch is open until the engine needs to know whether it has completed: when memory is short, or when epochSize frees share the cost of the driver's answer.
// Then the epoch is sealed with a fence.
//
// The zero value is empty and ready. The caller holds e.mu. Defer and Reuse cost a few nanoseconds. A pending block takes 48 bytes of Go memory, without
// pointers.
type streamQueues struct {
	last   lastFreed // the block that was deferred last, unless it is in its queue
	list   []streamQueue
	recent int            // index of the queue used last
	blocks []pendingBlock // of all queues, linked by index; index 0 is none
	free   int32          // first unused element of blocks; newer links to the next
	count  int            // number of blocks in queues
}

// epochSize is how many frees an epoch collects before it is sealed. Recording an event and asking about it cost about half a microsecond, so the cost for
// each free is less than 10 ns.
const epochSize = 64

// lastFreed is a block that is not in a queue yet. A stream that frees and allocates in turn never uses its queue.
type lastFreed struct {
	stream Stream
	addr   uint64
	bytes  uint64 // 0: none
}

// streamQueue holds the blocks that were freed on one stream. Epochs up to done have left the queue, those in sealed have a fence, and epoch is open.
type streamQueue struct {
	stream   Stream
	newest   int32
	oldest   int32
	epoch    uint64 // the open one
	done     uint64 // the last whose blocks have left the queue
	unsealed int    // number of blocks of the open epoch
	sealed   []epoch
	sealing  bool // a caller is sealing an epoch with the lock released

	// The newest block of each size. That of the size used last is top and not in sizes: streams tend to use the same size again.
	size  uint64
	top   int32
	sizes map[uint64]int32
}

// pendingBlock is a block in a queue.
type pendingBlock struct {
	addr   uint64
	bytes  uint64
	epoch  uint64 // in which the block was freed
	newer  int32  // neighbours in the queue, by age
	older  int32
	after  int32 // neighbours among the blocks of its size, by age
	before int32
}

// Defer adds a block of at least one byte that was just freed on a stream. It reports whether an epoch, of any stream, should be sealed. Part of the fast
// path.
func (qs *streamQueues) Defer(s Stream, addr, bytes uint64) (due bool) {
	if qs.last.bytes != 0 {
		due = qs.push()
	}
	qs.last = lastFreed{s, addr, bytes}
	return due
}

// Reuse removes the block of exactly so many bytes that was freed last on the stream. Part of the fast path.
func (qs *streamQueues) Reuse(s Stream, bytes uint64) (addr uint64, ok bool) {
	if qs.last.bytes == bytes && qs.last.stream == s {
		qs.last.bytes = 0
		return qs.last.addr, true
	}
	return qs.search(s, bytes)
}

// flush moves the last block into its queue. Code that visits queues calls flush first.
func (qs *streamQueues) flush() {
	if qs.last.bytes != 0 {
		qs.push()
	}
}

// push moves the last block into its queue. It reports whether the open epoch should be sealed.
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

// search removes a block from the stream's queue.
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

// find returns the queue of a stream, nil if there is none. The next call of queue may move it.
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

// queue returns the queue of a stream. If there is none, it makes one, reusing an empty queue if possible.
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
		qs.blocks = append(qs.blocks, pendingBlock{}) // index 0 is none
	}
	qs.blocks = append(qs.blocks, pendingBlock{})
	return int32(len(qs.blocks) - 1)
}

// Count returns the number of pending blocks.
func (qs *streamQueues) Count() int {
	if qs.last.bytes != 0 {
		return qs.count + 1
	}
	return qs.count
}

// holds reports whether a queue has a block that was freed in the given epoch or before.
func (qs *streamQueues) holds(q *streamQueue, epoch uint64) bool {
	return q.oldest != 0 && qs.blocks[q.oldest].epoch <= epoch
}

// remove removes a block from its queue.
func (qs *streamQueues) remove(q *streamQueue, i int32) {
	b := &qs.blocks[i]
	if b.newer != 0 {
		qs.blocks[b.newer].older = b.older
	} else {
		q.newest = b.older
	}
	if b.older != 0 {
		qs.blocks[b.older].newer = b.newer
	} else {
		q.oldest = b.newer
	}
	if b.before != 0 {
		qs.blocks[b.before].after = b.after
	}
	switch {
	case b.after != 0:
		qs.blocks[b.after].before = b.before
	case q.size == b.bytes:
		q.top = b.before
	case b.before != 0:
		q.sizes[b.bytes] = b.before
	default:
		delete(q.sizes, b.bytes)
	}
	if b.epoch == q.epoch {
		q.unsealed--
	}
	qs.count--
	b.newer, qs.free = qs.free, i
}

// selectSize makes bytes the size used last, and returns the newest block of that size.
func (q *streamQueue) selectSize(bytes uint64) int32 {
	if q.size != bytes {
		q.switchSize(bytes)
	}
	return q.top
}

func (q *streamQueue) switchSize(bytes uint64) {
	if q.top != 0 {
		if q.sizes == nil {
			q.sizes = map[uint64]int32{}
		}
		q.sizes[q.size] = q.top
	}
	q.size, q.top = bytes, q.sizes[bytes]
	delete(q.sizes, bytes)
}
