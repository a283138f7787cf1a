package poolimpl

import (
	"slices"
	"sync/atomic"
)

// streamQueues holds the pending blocks of a pool: a queue for each stream. Blocks are freed and allocated on different streams without a lock that they
// share. The zero value is empty.
//
// Queues are added with e.mu held. A queue whose stream is not used any more gets another one. Callers that hold e.mu may lock a queue; only stop locks several
// at once. The holder of a queue's lock takes only the locks of the core and of fences.
type streamQueues struct {
	// near finds most queues with one read: by the number of the stream, modulo the length. All queues are in table.
	near   [nearQueues]atomic.Pointer[StreamQueue]
	table  atomic.Pointer[queueTable]
	list   []*StreamQueue
	recent *StreamQueue // the queue found last, in a pool without a SharedCore
}

const nearQueues = 32

// queueTable finds the queue of a stream. It does not change, but is replaced when a stream comes. It is a hash table with linear probing, of which at least
// half is unused.
type queueTable struct {
	cells []queueCell // a power of two
}

type queueCell struct {
	id    uint64       // of the stream
	queue *StreamQueue // nil: unused
}

// find returns the queue of the stream with a number, nil if there is none. The queue may have another stream by now. The caller need not hold a lock.
func (t *queueTable) find(id uint64) *StreamQueue {
	if t == nil {
		return nil
	}
	for i := queueHash(id); ; i++ {
		if c := &t.cells[i&uint64(len(t.cells)-1)]; c.id == id || c.queue == nil {
			return c.queue
		}
	}
}

// queueHash spreads the numbers of streams over a table. Drivers count them up; those of adopted streams may be addresses.
func queueHash(id uint64) uint64 { return id * 0x9e3779b97f4a7c15 >> 32 }

// LockQueue returns the queue of the stream with a number, with its lock held; nil if the stream has none: then the engine does what the caller wants. The
// pool has a [SharedCore]. The caller does not hold e.mu, and releases the lock with Unlock. Part of the fast path.
func (s *streams) LockQueue(id uint64) *StreamQueue {
	q := s.queues.near[id%nearQueues].Load()
	if q == nil || q.id.Load() != id || !q.mu.TryLock() {
		return s.queues.lockSlow(id)
	}
	if q.id.Load() != id { // the queue got another stream meanwhile
		q.mu.Unlock()
		return nil
	}
	return q
}

// lockSlow is LockQueue for a queue that is not near, or that another caller has locked.
//
//go:noinline
func (qs *streamQueues) lockSlow(id uint64) *StreamQueue {
	q := qs.table.Load().find(id)
	if q == nil {
		return nil
	}
	if !q.mu.TryLock() {
		LockSlow(&q.mu)
	}
	if q.id.Load() != id {
		q.mu.Unlock()
		return nil
	}
	return q
}

// LockReuse removes the block of exactly so many bytes that was freed last on the stream with a number. It returns the block and its queue, whose lock is
// held; without a block the queue is nil. Otherwise it is like LockQueue. The caller calls the core's Reuse, and releases the lock.
func (s *streams) LockReuse(id, bytes uint64) (q *StreamQueue, addr uint64) {
	q = s.queues.near[id%nearQueues].Load()
	if q == nil || q.id.Load() != id || !q.mu.TryLock() {
		if q = s.queues.lockSlow(id); q == nil {
			return nil, 0
		}
	}
	if q.id.Load() == id {
		if addr, ok := q.run.pop(bytes); ok {
			return q, addr
		}
		if addr, ok := q.search(bytes); ok {
			return q, addr
		}
	}
	q.mu.Unlock()
	return nil, 0
}

// find returns the queue of a stream, nil if there is none.
func (qs *streamQueues) find(s Stream) *StreamQueue {
	q := qs.table.Load().find(s.ID)
	if q != nil && q.none {
		qs.recent = q
	}
	return q
}

// queue returns the queue of a stream. If there is none, it makes one, or takes one that is not used. shared: the queue has a lock of its own.
func (qs *streamQueues) queue(s Stream, d driver, shared bool) *StreamQueue {
	if q := qs.find(s); q != nil {
		return q
	}
	q := qs.unused()
	if q == nil || !q.begin(s, d) {
		q = &StreamQueue{epoch: 1, poolLock: poolLock{none: !shared}}
		q.begin(s, d)
		qs.list = append(qs.list, q)
	}
	qs.publish()
	return q
}

// manyQueues is how many queues a pool has before a stream gets the queue of another one that may still be used.
const manyQueues = 256

// unused returns a queue without blocks whose stream is not used any more, nil if there is none. Pools are not always told that a stream was destroyed: so if
// there are many queues, one that was not used for a while will do. If its stream comes back, it gets another queue.
func (qs *streamQueues) unused() (unused *StreamQueue) {
	for _, q := range qs.list {
		q.lock()
		q.idle++
		if q.used {
			q.used, q.idle = false, 0
		}
		gone := q.gone || q.idle > 0 && len(qs.list) >= manyQueues
		if gone && q.isEmpty() && (unused == nil || q.idle > unused.idle) {
			unused = q
		}
		q.unlock()
	}
	return unused
}

// publish replaces the table.
func (qs *streamQueues) publish() {
	size := 8
	for size < 4*len(qs.list) {
		size *= 2
	}
	t := &queueTable{make([]queueCell, size)}
	for _, q := range qs.list {
		i := queueHash(q.stream.ID)
		for t.cells[i&uint64(size-1)].queue != nil {
			i++
		}
		t.cells[i&uint64(size-1)] = queueCell{q.stream.ID, q}
		qs.near[q.stream.ID%nearQueues].Store(q)
	}
	qs.table.Store(t)
}

// count returns the number of pending blocks. While other callers free and allocate on streams, it is that of some moment of each queue.
func (qs *streamQueues) count() (n int) {
	for _, q := range qs.list {
		q.lock()
		n += q.pending()
		q.unlock()
	}
	return n
}

// anyUnsealed reports whether a block was freed on a stream and has no fence behind it yet.
func (qs *streamQueues) anyUnsealed() bool {
	return slices.ContainsFunc(qs.list, func(q *StreamQueue) bool {
		q.lock()
		defer q.unlock()
		return q.run.n > 0 || q.unsealed > 0 || q.sealing
	})
}

// stop locks all queues and returns the number of pending blocks: until resume, nobody frees or allocates on a stream. The caller does not release e.mu
// meanwhile.
func (qs *streamQueues) stop() (pending int) {
	for _, q := range qs.list {
		q.lock()
		pending += q.pending()
	}
	return pending
}

// resume ends stop.
func (qs *streamQueues) resume() {
	for _, q := range qs.list {
		q.unlock()
	}
}

// end forgets all queues and their blocks, and calls drop with the fences. Callers that come to a queue later find that it has no stream. The queues are
// stopped, and are not afterwards.
func (qs *streamQueues) end(drop func([]epoch)) {
	ended := qs.list
	qs.list, qs.recent = nil, nil
	qs.table.Store(nil)
	for i := range qs.near {
		qs.near[i].Store(nil)
	}
	for _, q := range ended {
		drop(q.sealed)
		q.clear()
		q.unlock()
	}
}
