package runtime

// lane is what was freed on one stream.
type lane struct {
	stream Stream
	newest int32
	oldest int32
	epoch  uint64 // the open one
	done   uint64 // the last whose blocks have left the lane
	fresh  int    // blocks freed in the open epoch and not taken again
	closed []epoch
	busy   bool // somebody is closing an epoch with the pool's lock released

	// The newest block of each size. The size used last is kept aside: streams tend to use the same again.
	size  uint64
	top   int32
	sizes map[uint64]int32
}

// epoch is a closed one: all its blocks were freed before the mark.
type epoch struct {
	number uint64
	mark   Mark
}

// covered returns the number of the last epoch that a mark covers.
func (n *lane) covered() uint64 {
	if k := len(n.closed); k > 0 {
		return n.closed[k-1].number
	}
	return n.done
}

// parkedBlock is a block in a lane. Indices are those of Lanes.blocks, 0 stands for none.
type parkedBlock struct {
	addr   uint64
	bytes  uint64
	epoch  uint64 // that it was freed in
	newer  int32  // neighbours in the lane, by age
	older  int32
	after  int32 // neighbours among those of its size, by age
	before int32
}

// holds reports whether a lane has a block that was freed in an epoch, or before.
func (l *Lanes) holds(n *lane, epoch uint64) bool {
	return n.oldest != 0 && l.blocks[n.oldest].epoch <= epoch
}

// open makes a size the one kept aside, and returns its newest block.
func (n *lane) open(bytes uint64) int32 {
	if n.size != bytes {
		n.swap(bytes)
	}
	return n.top
}

func (n *lane) swap(bytes uint64) {
	if n.top != 0 {
		if n.sizes == nil {
			n.sizes = map[uint64]int32{}
		}
		n.sizes[n.size] = n.top
	}
	n.size, n.top = bytes, n.sizes[bytes]
	delete(n.sizes, bytes)
}

// remove takes a block out of its lane.
func (l *Lanes) remove(n *lane, i int32) {
	b := &l.blocks[i]
	if b.newer != 0 {
		l.blocks[b.newer].older = b.older
	} else {
		n.newest = b.older
	}
	if b.older != 0 {
		l.blocks[b.older].newer = b.newer
	} else {
		n.oldest = b.newer
	}
	if b.before != 0 {
		l.blocks[b.before].after = b.after
	}
	switch {
	case b.after != 0:
		l.blocks[b.after].before = b.before
	case n.size == b.bytes:
		n.top = b.before
	case b.before != 0:
		n.sizes[b.bytes] = b.before
	default:
		delete(n.sizes, b.bytes)
	}
	if b.epoch == n.epoch {
		n.fresh--
	}
	l.count--
	b.newer, l.spare = l.spare, i
}
