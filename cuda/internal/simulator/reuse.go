package simulator

import "github.com/poolgen/poolgen/cuda/internal/abi"

// MemAllocAsync takes memory of the current pool of a context's device, for work that is queued on the stream after it.
func (d *Driver) MemAllocAsync(ctx abi.Context, bytes uint64, h abi.Stream) (abi.Ptr, abi.Result) {
	s, r := d.beginStream("cuMemAllocAsync", ctx, h)
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	return d.allocAsync("cuMemAllocAsync", s.ctx.dev.pool, bytes, s)
}

// MemAllocFromPoolAsync takes memory of a pool.
func (d *Driver) MemAllocFromPoolAsync(ctx abi.Context, bytes uint64, h abi.Pool, sh abi.Stream) (abi.Ptr, abi.Result) {
	s, r := d.beginStream("cuMemAllocFromPoolAsync", ctx, sh)
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	p := d.pools[h]
	if p == nil || p.imported {
		return 0, abi.InvalidValue
	}
	return d.allocAsync("cuMemAllocFromPoolAsync", p, bytes, s)
}

// allocAsync takes a block: free memory that the stream may use, else new memory.
func (d *Driver) allocAsync(what string, p *pool, bytes uint64, s *stream) (abi.Ptr, abi.Result) {
	switch {
	case s.ctx.dev.attributes[abi.AttributeMemoryPools] == 0:
		return 0, abi.NotSupported
	case s.capture != nil: // the driver would make a graph node of it, with memory of its own
		return 0, abi.StreamCaptureUnsupported
	case bytes == 0:
		return 0, abi.InvalidValue
	case bytes > 1<<47:
		return 0, abi.OutOfMemory
	}
	if r := d.implicit(s); r != abi.Success {
		return 0, r
	}
	size := roundUp(bytes, memoryUnit)
	b, frees := d.reuse(p, size, s)
	if b == nil {
		grown, r := d.grow(p, size)
		if r != abi.Success {
			return 0, r
		}
		b, frees = grown.take(0, 1, size)
	}
	return d.open(what, b, bytes, s, frees), abi.Success
}

// reuse takes free memory: memory that the stream may use at once, or else memory that the policies of the pool allow, one policy after the other.
func (d *Driver) reuse(p *pool, size uint64, s *stream) (*block, []*op) {
	_, clock := d.before(s)
	rules := [4]func(*op) bool{
		abi.PoolReuseFollowEventDependencies:   func(o *op) bool { return clock.Covers(o.point) },
		abi.PoolReuseAllowOpportunistic:        func(o *op) bool { return o.done },
		abi.PoolReuseAllowInternalDependencies: func(*op) bool { return true },
	}
	for last := range rules {
		if last > 0 && !p.policies[last] {
			continue
		}
		usable := func(b *block) bool {
			for i, o := range b.frees {
				ok := b.by[i] == s || d.isOver(o)
				for rule := 1; rule <= last && !ok; rule++ {
					ok = p.policies[rule] && rules[rule](o)
				}
				if !ok {
					return false
				}
			}
			return true
		}
		for _, slab := range p.slabs {
			d.mergeFree(slab)
			if from, to, ok := slab.fit(size, usable); ok {
				return slab.take(from, to, size)
			}
		}
	}
	return nil, nil
}

// open makes a block live and queues its allocation, after the frees that must precede it.
func (d *Driver) open(what string, b *block, bytes uint64, s *stream, frees []*op) abi.Ptr {
	at := b.slab.base + abi.Ptr(b.off)
	dev := b.slab.pool.dev
	b.span = &span{base: at, size: bytes, kind: KindBlock, store: b.slab.store, offset: b.off, dev: dev, block: b, pool: b.slab.pool}
	d.place(b.span)
	d.born(KindBlock, uint64(at), bytes)
	b.slab.pool.count(0, b.size)
	d.put(s, work{what: what, uses: []use{{[]piece{{b.span, b.off, bytes}}, true, true}}}, frees...)
	return at
}

// MemFreeAsync frees memory of a pool for work that is queued on the stream after it.
func (d *Driver) MemFreeAsync(ctx abi.Context, p abi.Ptr, h abi.Stream) abi.Result {
	s, r := d.beginStream("cuMemFreeAsync", ctx, h)
	defer d.mu.Unlock()
	if r != abi.Success {
		return r
	}
	if s.capture != nil {
		return abi.StreamCaptureUnsupported
	}
	if r := d.implicit(s); r != abi.Success {
		return r
	}
	at := d.starting(p)
	switch {
	case at == nil:
		d.badRelease("cuMemFreeAsync", uint64(p))
		return abi.InvalidValue
	case at.kind != KindBlock:
		return abi.InvalidValue
	}
	at.pool.freeing++
	d.put(s, work{what: "cuMemFreeAsync", uses: []use{{[]piece{{at, at.offset, at.size}}, true, true}}, run: func() abi.Result {
		at.pool.freeing--
		d.end(at)
		return abi.Success
	}})
	d.freeBlock(at, s)
	return abi.Success
}

// freeBlock makes a block free: for the stream at once, for other streams after its last operation; without a stream, for all. Work that was
// queued before can use it until the end of the free.
func (d *Driver) freeBlock(at *span, s *stream) {
	d.remove(at)
	delete(d.live[KindBlock], uint64(at.base))
	if b := at.block; b != nil { // else it is imported
		b.span = nil
		if s != nil {
			b.frees, b.by = []*op{s.last}, []*stream{s}
		}
	}
	at.pool.count(0, -at.held())
}

// end ends memory of a pool, when the stream reaches its free.
func (d *Driver) end(at *span) {
	at.gone = true
	if at.pool.imported {
		at.pool.shared.drop(at.store.host)
	}
	d.bury(at.pool)
}

// held returns how much of a pool is in use for memory of it.
func (s *span) held() uint64 {
	if s.block == nil {
		return s.size
	}
	return s.block.size
}
