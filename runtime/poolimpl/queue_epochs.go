package poolimpl

import "slices"

// epoch is a sealed epoch: all its blocks were freed before the fence.
type epoch struct {
	number uint64
	fence  Fence
}

// holds reports whether the queue has a linked block that was freed in the given epoch or before.
func (q *StreamQueue) holds(epoch uint64) bool {
	return q.oldest != 0 && q.blocks[q.oldest].epoch <= epoch
}

// beginSeal ends the open epoch, if it has blocks, and returns its number. The caller records a fence, and calls endSeal. The number is 0 if there is nothing to
// seal, or if another caller is sealing an epoch; then busy is true.
func (q *StreamQueue) beginSeal() (number uint64, on Stream, busy bool) {
	q.lock()
	defer q.unlock()
	q.flush()
	if q.newest == 0 || q.sealing || q.blocks[q.newest].epoch <= q.covered() {
		return 0, noStream, q.sealing
	}
	number = q.epoch
	q.epoch++
	q.unsealed = 0
	q.sealing = true
	return number, q.stream, false
}

// endSeal seals an epoch with a fence, 0 if there is none: a later fence will cover the epoch. It reports whether the fence is needed: the blocks of the epoch
// may have been allocated again.
func (q *StreamQueue) endSeal(number uint64, fence Fence) (needed bool) {
	q.lock()
	defer q.unlock()
	q.sealing = false
	if fence == 0 || !q.holds(number) {
		return false
	}
	q.sealed = append(q.sealed, epoch{number, fence})
	return true
}

// leave notes that the stream is about to be destroyed.
func (q *StreamQueue) leave() {
	q.lock()
	defer q.unlock()
	q.gone = true
}

// pinFirst returns the first sealed epoch and whether it has blocks, and pins its fence: another caller may end the epoch as soon as the lock is released.
func (q *StreamQueue) pinFirst(f *fences) (first epoch, holds, ok bool) {
	q.lock()
	defer q.unlock()
	if len(q.sealed) == 0 {
		return epoch{}, false, false
	}
	first = q.sealed[0]
	f.pin(first.fence)
	return first, q.holds(first.number), true
}

// sealedWith returns the last sealed epoch with a fence.
func (q *StreamQueue) sealedWith(fence Fence) (last epoch, ok bool) {
	q.lock()
	defer q.unlock()
	for _, e := range slices.Backward(q.sealed) {
		if e.fence == fence {
			return e, true
		}
	}
	return epoch{}, false
}

// pinLast returns the fence of the last sealed epoch and pins it; 0: no epoch is sealed.
func (q *StreamQueue) pinLast(f *fences) (last Fence) {
	q.lock()
	defer q.unlock()
	if k := len(q.sealed); k > 0 {
		last = q.sealed[k-1].fence
		f.pin(last)
	}
	return last
}

// covered returns the number of the last sealed epoch.
func (q *StreamQueue) covered() uint64 {
	if k := len(q.sealed); k > 0 {
		return q.sealed[k-1].number
	}
	return q.done
}

// endEpochs ends the first sealed epochs. The caller takes their blocks.
func (q *StreamQueue) endEpochs(epochs int) {
	q.sealed, q.done = q.sealed[epochs:], q.sealed[epochs-1].number
}

// runTaken is how many blocks takeRun removes at most.
const runTaken = 16

// takeRun removes the oldest blocks of the epochs that have ended, as far as they have one size, and returns them. They are there until the next call, or until
// the lock is released. There are none when the epochs have no more blocks.
func (q *StreamQueue) takeRun() (addrs []uint64, bytes uint64) {
	if !q.holds(q.done) {
		return nil, 0
	}
	i, n, after := q.oldest, 0, int32(0)
	bytes = q.blocks[i].bytes
	for ; i != 0 && n < runTaken; n++ {
		b := &q.blocks[i]
		if b.bytes != bytes || b.epoch > q.done {
			break
		}
		q.taken[n], after = b.addr, b.after
		i, b.newer, q.free = b.newer, q.free, i
	}
	q.oldest, q.linked = i, q.linked-uint32(n)
	if i != 0 {
		q.blocks[i].older = 0
	} else {
		q.newest = 0
	}
	if after != 0 { // the oldest block of a size is the first of its list
		q.blocks[after].before = 0
	} else {
		q.sizes.remove(q.sizes.at(bytes))
	}
	return q.taken[:n], bytes
}
