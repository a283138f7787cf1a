package poolimpl

import (
	"slices"
	"sync/atomic"
)

// StreamQueue holds the pending blocks of one stream: blocks freed on the stream, which may still be using them. A block leaves the queue in one of two ways.
// An allocation of the same size on the same stream takes it at once, without a call of the driver, since the allocation is ordered behind that work. Or the
// work completes, and the block goes back to the suballocator.
//
// A queue is in the order of frees, so one fence covers many blocks: those of an epoch. An epoch is open until the engine needs to know whether it has
// completed: when memory is short, or when epochSize frees share the cost of the driver's answer. Then the epoch is sealed with a fence. Epochs up to done have
// left the queue, those in sealed have a fence, and epoch is open.
//
// In a pool with a SharedCore each queue has a lock of its own, which guards its fields and the core's calls for its blocks: a block is pending in the core
// exactly while it is in a queue. In other pools e.mu guards the queue, and its own lock is not used. Defer and Reuse cost a few nanoseconds. A pending block
// takes 40 bytes of Go memory, without pointers.
type StreamQueue struct {
	poolLock
	used bool          // a block was freed since a stream last asked for a queue
	gone bool          // the stream was closed
	id   atomic.Uint64 // stream.ID, for callers that hold no lock
	run  freedRun      // the blocks deferred last, which are not among blocks

	stream Stream         // written with e.mu held as well; noStream: the queue has ended
	idle   int            // how many streams have asked for a queue without use of this one
	linked uint32         // number of blocks that are in use
	sizes  sizeTable      // the newest block of each size
	blocks []pendingBlock // linked by index; index 0 is none
	free   int32          // first unused element of blocks; newer links to the next
	newest int32
	oldest int32

	epoch    uint64 // the open one
	done     uint64 // the last whose blocks have left the queue
	unsealed int    // number of blocks of the open epoch
	sealed   []epoch
	sealing  bool // a caller is sealing an epoch with the lock released

	driver driver           // for callers that hold no lock
	taken  [runTaken]uint64 // by takeRun
	_      [48]byte         // the size is 512 bytes, so each queue begins on a cache line, and has its lines and those next to them for itself
}

// noStream is the stream of a queue that has ended. No stream has the number.
var noStream = Stream{ID: 1<<64 - 1, Device: NoDevice}

// epochSize is how many frees an epoch collects before it is sealed. Recording an event and asking about it cost about half a microsecond, so the cost for
// each free is less than 10 ns.
const epochSize = 64

// freedRun is blocks of one size, in the order of their frees. A stream that uses few blocks at a time, of one size, never links blocks.
type freedRun struct {
	bytes uint64
	n     uint32
	addrs [runLength]uint64
}

// runLength is a power of two.
const runLength = 8

// push adds a block. It fails if the run is full, or has blocks of another size.
func (r *freedRun) push(addr, bytes uint64) bool {
	if r.bytes != bytes || r.n >= runLength {
		return false
	}
	r.addrs[r.n%runLength] = addr
	r.n++
	return true
}

// pop removes the newest block, if it has exactly so many bytes.
func (r *freedRun) pop(bytes uint64) (addr uint64, ok bool) {
	if r.bytes != bytes || r.n == 0 {
		return 0, false
	}
	r.n--
	return r.addrs[r.n%runLength], true
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

// Defer adds a block of at least one byte that was just freed on the stream. It reports whether the open epoch should be sealed.
func (q *StreamQueue) Defer(addr, bytes uint64) (due bool) {
	if q.Push(addr, bytes) {
		return false
	}
	return q.PushSlow(addr, bytes)
}

// Push is Defer for a block that joins the run, as most do. It reports whether the block has joined; otherwise PushSlow adds the block. Part of the fast path.
func (q *StreamQueue) Push(addr, bytes uint64) bool {
	q.used = true
	return q.run.push(addr, bytes)
}

// PushSlow is Defer after Push has failed.
func (q *StreamQueue) PushSlow(addr, bytes uint64) (due bool) {
	due = q.makeRoom(bytes)
	q.run.push(addr, bytes)
	return due
}

// Reuse removes the block of exactly so many bytes that was freed last on the stream. Part of the fast path.
func (q *StreamQueue) Reuse(bytes uint64) (addr uint64, ok bool) {
	if addr, ok = q.run.pop(bytes); ok {
		return addr, true
	}
	return q.search(bytes)
}

// makeRoom links older blocks, so that a block of a size can join the run. It reports whether the open epoch should be sealed.
func (q *StreamQueue) makeRoom(bytes uint64) (due bool) {
	if q.run.bytes != bytes {
		due = q.link(q.run.n)
		q.run.bytes = bytes
		return due
	}
	return q.link(runLength / 2)
}

// flush links all blocks. Code that visits blocks calls flush first.
func (q *StreamQueue) flush() { q.link(q.run.n) }

// link links the n oldest blocks of the run. It reports whether the open epoch should be sealed.
func (q *StreamQueue) link(n uint32) (due bool) {
	if n == 0 {
		return q.isDue()
	}
	r := &q.run
	c := q.sizes.claim(r.bytes)
	c.number = q.append(r.addrs[:n], r.bytes, c.number)
	copy(r.addrs[:], r.addrs[n:])
	r.n -= n
	return q.isDue()
}

// append links blocks behind the newest one of their size, top, and returns the index of the last.
func (q *StreamQueue) append(addrs []uint64, bytes uint64, top int32) int32 {
	if int(q.linked)+len(addrs) >= len(q.blocks) {
		q.grow(len(addrs))
	}
	blocks, newest := q.blocks, q.newest
	for _, addr := range addrs {
		i := q.free
		b := &blocks[i]
		q.free = b.newer
		b.addr, b.bytes, b.epoch = addr, bytes, q.epoch // the compiler would make a whole block first, and copy it
		b.newer, b.older, b.after, b.before = 0, newest, 0, top
		if top != 0 {
			blocks[top].after = i
		}
		if newest != 0 {
			blocks[newest].newer = i
		} else {
			q.oldest = i
		}
		newest, top = i, i
	}
	q.newest = newest
	q.linked += uint32(len(addrs))
	q.unsealed += len(addrs)
	return top
}

// grow adds n unused elements, and more for later.
func (q *StreamQueue) grow(n int) {
	first := max(len(q.blocks), 1) // index 0 is none
	q.blocks = slices.Grow(q.blocks, first-len(q.blocks)+n)
	q.blocks = q.blocks[:cap(q.blocks)]
	for i := first; i < len(q.blocks); i++ {
		q.blocks[i].newer, q.free = q.free, int32(i)
	}
}

// isDue reports whether the open epoch should be sealed.
func (q *StreamQueue) isDue() bool { return q.unsealed >= epochSize && !q.sealing }

// search removes the newest linked block of a size.
func (q *StreamQueue) search(bytes uint64) (addr uint64, ok bool) {
	c := q.sizes.at(bytes)
	i := c.number
	if i == 0 {
		return 0, false
	}
	b := &q.blocks[i]
	if c.number = b.before; b.before != 0 {
		q.blocks[b.before].after = 0
	} else {
		q.sizes.remove(c)
	}
	q.unlink(i, b)
	return b.addr, true
}

// unlink takes a block out of the order of frees. It is not among the blocks of its size any more.
func (q *StreamQueue) unlink(i int32, b *pendingBlock) {
	if b.newer != 0 {
		q.blocks[b.newer].older = b.older
	} else {
		q.newest = b.older
	}
	if b.older != 0 {
		q.blocks[b.older].newer = b.newer
	} else {
		q.oldest = b.newer
	}
	if b.epoch == q.epoch {
		q.unsealed--
	}
	q.linked--
	b.newer, q.free = q.free, i
}

// pending returns the number of pending blocks.
func (q *StreamQueue) pending() int { return int(q.linked + q.run.n) }

// isEmpty reports whether the queue has neither blocks nor fences, and nobody is about to seal one of its epochs.
func (q *StreamQueue) isEmpty() bool { return q.pending() == 0 && len(q.sealed) == 0 && !q.sealing }

// begin gives the queue to a stream. It fails if the queue is not empty: a block may have been freed on its stream meanwhile.
func (q *StreamQueue) begin(s Stream, d driver) bool {
	q.lock()
	defer q.unlock()
	if !q.isEmpty() {
		return false
	}
	q.stream, q.driver, q.used, q.gone, q.idle = s, d.unlocked(), true, false, 0
	q.id.Store(s.ID)
	return true
}

// clear forgets the stream and all blocks. A caller that is sealing an epoch finds that it has none.
func (q *StreamQueue) clear() {
	q.stream, q.driver = noStream, driver{}
	q.id.Store(noStream.ID)
	q.sizes, q.blocks, q.free, q.newest, q.oldest = sizeTable{}, nil, 0, 0, 0
	q.unsealed, q.sealed, q.linked, q.run.n = 0, nil, 0, 0
}

// all calls see with the bytes of each pending block, oldest first.
func (q *StreamQueue) all(see func(bytes uint64)) {
	q.lock()
	defer q.unlock()
	q.flush()
	for b := q.oldest; b != 0; b = q.blocks[b].newer {
		see(q.blocks[b].bytes)
	}
}
