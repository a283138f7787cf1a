package runtime

// streamQueue is what was freed on one stream.
type streamQueue struct {
	stream   Stream
	newest   int32
	oldest   int32
	epoch    uint64 // the open one
	done     uint64 // the last whose blocks have left the lane
	unsealed int    // blocks freed in the open epoch and not taken again
	sealed   []epoch
	sealing  bool // somebody is closing an epoch with the pool's lock released

	// The newest block of each size. The size used last is kept aside: streams tend to use the same again.
	size  uint64
	top   int32
	sizes map[uint64]int32
}

// epoch is a closed one: all its blocks were freed before the mark.
type epoch struct {
	number uint64
	fence  Fence
}

// covered returns the number of the last epoch that a mark covers.
func (q *streamQueue) covered() uint64 {
	if k := len(q.sealed); k > 0 {
		return q.sealed[k-1].number
	}
	return q.done
}

// pendingBlock is a block in a lane. Indices are those of Lanes.blocks, 0 stands for none.
type pendingBlock struct {
	addr   uint64
	bytes  uint64
	epoch  uint64 // that it was freed in
	newer  int32  // neighbours in the lane, by age
	older  int32
	after  int32 // neighbours among those of its size, by age
	before int32
}

// holds reports whether a lane has a block that was freed in an epoch, or before.
func (qs *streamQueues) holds(q *streamQueue, epoch uint64) bool {
	return q.oldest != 0 && qs.blocks[q.oldest].epoch <= epoch
}

// selectSize makes a size the one kept aside, and returns its newest block.
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

// remove takes a block out of its lane.
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
