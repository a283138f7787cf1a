package simulator

import (
	"slices"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// slab is physical memory that a pool reserved at once.
type slab struct {
	pool   *pool
	base   abi.Ptr
	size   uint64
	store  *store
	offset uint64   // in the shared memory of the pool
	blocks []*block // without gaps, in order
}

// block is a part of a slab, live or free.
type block struct {
	slab  *slab
	off   uint64
	size  uint64
	span  *span // nil if free
	frees []*op // operations that must precede the next use, with their streams; those that the host knows to be done are removed
	by    []*stream
}

// grow reserves a slab that has room for bytes.
func (d *Driver) grow(p *pool, bytes uint64) (*slab, abi.Result) {
	if bytes > 1<<47 {
		return nil, abi.OutOfMemory
	}
	size := roundUp(bytes, d.cfg.Granularity)
	fits := func() bool {
		return p.props.MaxSize == 0 || p.reserved+size <= roundUp(p.props.MaxSize, d.cfg.Granularity)
	}
	take := func() bool { return fits() && (p.dev == nil || p.dev.reserve(size)) }
	if !take() {
		d.release(p, 0, d.isOver)
		if !take() {
			return nil, abi.OutOfMemory
		}
	}
	s := &slab{pool: p, size: size}
	if r := d.back(s); r != abi.Success {
		if p.dev != nil {
			p.dev.used -= size
		}
		return nil, r
	}
	s.blocks = []*block{{slab: s, size: size}}
	p.slabs = append(p.slabs, s)
	p.count(size, 0)
	return s, abi.Success
}

// back allocates the memory of a slab: of the host, shared, or of a device.
func (d *Driver) back(s *slab) abi.Result {
	switch p := s.pool; {
	case p.dev == nil:
		memory := newHostMemory(s.size)
		if memory == nil {
			return abi.OutOfMemory
		}
		s.store = d.hostStore(memory)
		s.base = addressOf(pointerTo(memory))
		return abi.Success
	case p.shared != nil:
		memory, offset := p.shared.extend(s.size)
		if memory == nil {
			return abi.OutOfMemory
		}
		s.store, s.offset = d.hostStore(memory), offset
	default:
		s.store = d.newStore(s.size)
	}
	s.base = d.assign(s.size, d.cfg.Granularity)
	return abi.Success
}

// release frees slabs whose blocks are all free according to done, while at least keep bytes stay.
func (d *Driver) release(p *pool, keep uint64, done func(*op) bool) {
	p.slabs = slices.DeleteFunc(p.slabs, func(s *slab) bool {
		if p.reserved-s.size < keep || slices.ContainsFunc(s.blocks, func(b *block) bool {
			return b.span != nil || !all(b.frees, done)
		}) {
			return false
		}
		p.count(-s.size, 0)
		d.checker.Forget(s.store.id)
		switch {
		case p.dev == nil:
			dropHostMemory(s.store.host)
		case p.shared != nil:
			p.shared.drop(s.store.host)
			p.dev.used -= s.size
		default:
			p.dev.used -= s.size
		}
		return true
	})
}

func all(ops []*op, ok func(*op) bool) bool {
	return !slices.ContainsFunc(ops, func(o *op) bool { return !ok(o) })
}

// isOver reports whether the host knows that an operation is done.
func (d *Driver) isOver(o *op) bool { return d.host.Covers(o.point) }

// mergeFree removes operations that are over from free blocks, and joins neighbours that wait for nothing.
func (d *Driver) mergeFree(s *slab) {
	kept := s.blocks[:0]
	for _, b := range s.blocks {
		if b.span == nil && all(b.frees, d.isOver) {
			b.frees, b.by = nil, nil
		}
		if n := len(kept); n > 0 && kept[n-1].open() && b.open() {
			kept[n-1].size += b.size
			continue
		}
		kept = append(kept, b)
	}
	clear(s.blocks[len(kept):])
	s.blocks = kept
}

// open reports whether a block is free for any stream.
func (b *block) open() bool { return b.span == nil && len(b.frees) == 0 }

// fit finds neighbouring free blocks that have room for bytes and may all be used: the first such run.
func (s *slab) fit(bytes uint64, usable func(*block) bool) (from, to int, ok bool) {
	room := uint64(0)
	for i, b := range s.blocks {
		if b.span != nil || !usable(b) {
			room, from = 0, i+1
			continue
		}
		room += b.size
		if room >= bytes {
			return from, i + 1, true
		}
	}
	return 0, 0, false
}

// take makes blocks [from, to) one live block; the rest of the last one stays free. It returns the operations that freed the blocks.
func (s *slab) take(from, to int, bytes uint64) (*block, []*op) {
	b := &block{slab: s, off: s.blocks[from].off, size: bytes}
	var frees []*op
	for _, old := range s.blocks[from:to] {
		frees = append(frees, old.frees...)
	}
	last := *s.blocks[to-1]
	end := last.off + last.size
	with := []*block{b}
	if rest := end - (b.off + bytes); rest > 0 {
		last.off, last.size = end-rest, rest
		with = append(with, &last)
	}
	s.blocks = slices.Replace(s.blocks, from, to, with...)
	return b, frees
}
