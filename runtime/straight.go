package runtime

import "slices"

// straight counts the blocks that came straight from the source, for the rung driver: each is an allocation of the source's own, counted in what the
// pool has reserved, and goes back when it is freed.
type straight struct {
	usage    Usage   // Live, LiveBytes, Occupied and Allocs of these blocks; PeakBytes of all the pool's, as far as seen here
	count    int64   // how many the source has not got back, and is not getting back
	reserved int64   // their bytes
	stranded []Chunk // those that the source did not take

	shares map[uint64]int // what was shared of them with other processes, by address
	kept   []Chunk        // those that are free, and stay until the pool is closed because they were shared
}

// straightBlock takes the block from the source, within the limit and the budget. was is what has gone wrong so far.
func (e *Engine) straightBlock(r request, was error) (Block, error) {
	for e.asking > 0 { // one caller asks at a time
		if r.over() || !e.settleFor(r) {
			return Block{}, was
		}
	}
	if e.closed {
		return Block{}, ErrClosed
	}
	if e.paged() { // what the limit leaves, growth has
		return Block{}, was
	}
	_, _ = e.returnStranded()
	unit := e.memory.Granularity
	if e.memory.Source == nil || r.bytes > uint64(NoLimit-max(unit, 1)) {
		return Block{}, was
	}
	size := roundUp(int64(r.bytes), unit)
	switch {
	case size > min(e.limit, e.config.Budget.Limit()):
		return Block{}, was
	case e.asking > 0 || size > e.bound-e.reserved || !e.config.Budget.take(size):
		return Block{}, ErrLimit
	}
	e.asking = size
	c, err := e.fetch(size, max(int64(r.align), e.config.Alignment))
	if err != nil {
		return Block{}, sourceError(err)
	}
	b := e.handStraight(c, r.bytes)
	e.note(EventGrowth, size, nil)
	return b, nil
}

// handStraight makes a chunk that has come a block in use, which was asked for with that many bytes.
func (e *Engine) handStraight(c Chunk, bytes uint64) Block {
	e.arrive(c.Size, 1)
	own := &e.loans.own
	own.count++
	own.reserved += c.Size
	b := Block{Ptr: c.Ptr, Addr: c.Addr, Origin: c.Origin}
	e.loans.note(loan{Block: b, chunk: c, bytes: bytes})
	own.usage.Allocs++
	e.usage() // for the peak
	return b
}

// took counts a block in use.
func (s *straight) took(l loan) {
	if l.chunk.Size == 0 {
		return
	}
	s.usage.Live++
	s.usage.LiveBytes += l.bytes
	s.usage.Occupied += uint64(l.chunk.Size)
}

// freed counts one that is not.
func (s *straight) freed(l loan) {
	if l.chunk.Size == 0 {
		return
	}
	s.usage.Live--
	s.usage.LiveBytes -= l.bytes
	s.usage.Occupied -= uint64(l.chunk.Size)
}

// returnStraight gives memory back to the source, save for what was shared. What it does not take is kept, and tried again when memory is short,
// trimmed or closed.
func (e *Engine) returnStraight(chunks []Chunk) (released int64, err error) {
	own := &e.loans.own
	if len(own.shares) > 0 {
		chunks = slices.DeleteFunc(chunks, func(c Chunk) bool {
			shared := own.shares[c.Addr] > 0
			if shared {
				own.kept = append(own.kept, c)
			}
			return shared
		})
	}
	for _, c := range chunks {
		own.count--
		own.reserved -= c.Size
	}
	return e.handBack(chunks, func(c Chunk) {
		own.count++
		own.reserved += c.Size
		own.stranded = append(own.stranded, c)
	})
}

// returnStranded tries again what the source did not take.
func (e *Engine) returnStranded() (released int64, err error) {
	chunks := e.loans.own.stranded
	if len(chunks) == 0 {
		return 0, nil
	}
	e.loans.own.stranded = nil
	return e.returnStraight(chunks)
}

// inUse adds up what is handed out, or stays because it was shared.
func (s *straight) inUse() int64 {
	n := s.reserved
	for _, c := range s.stranded {
		n -= c.Size
	}
	return n
}

// returnAll gives back all blocks from the source: nobody uses them any more.
func (e *Engine) returnAll() {
	if chunks := e.loans.evict(); len(chunks) > 0 {
		_, _ = e.returnStraight(chunks)
	}
}

// evict takes the memory of all blocks from the source, whoever has them.
func (l *loans) evict() (chunks []Chunk) {
	for _, b := range l.blocks {
		if b.bytes != 0 && b.chunk.Size != 0 {
			l.settle(b)
			chunks = append(chunks, b.chunk)
		}
	}
	return chunks
}

// evictStraight is evict for a pool that ends, with what is on its way back.
func (e *Engine) evictStraight() []Chunk {
	chunks := slices.Concat(e.loans.evict(), e.loans.own.stranded, e.loans.own.kept)
	for _, p := range e.loans.parked {
		e.drop(p.mark)
		if p.chunk.Size != 0 {
			chunks = append(chunks, p.chunk)
		}
	}
	e.loans.parked, e.loans.own.stranded, e.loans.own.kept = nil, nil, nil
	e.loans.own.count, e.loans.own.reserved = 0, 0
	return chunks
}

// usage is what the core and the source have handed out, or what they had before the pool was closed.
func (e *Engine) usage() Usage {
	if e.closed {
		return e.final
	}
	u := e.core.Usage()
	own := &e.loans.own.usage
	if own.Allocs == 0 {
		return u
	}
	u.Live += own.Live
	u.LiveBytes += own.LiveBytes
	u.Occupied += own.Occupied
	if !e.config.Unmetered {
		u.Allocs += own.Allocs
		own.PeakBytes = max(own.PeakBytes, u.PeakBytes, u.LiveBytes)
		u.PeakBytes = own.PeakBytes
	}
	return u
}
