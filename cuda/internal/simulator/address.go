package simulator

import (
	"slices"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// Addresses of devices start where no host address can be: using one on the host by mistake faults at once.
const firstAddress = 1 << 60

// span is a range of addresses that stands for memory.
type span struct {
	base   abi.Ptr
	size   uint64
	kind   Kind
	store  *store
	offset uint64 // of base in store
	dev    *device
	ctx    *context // that made it, for kinds that belong to one
	pool   *pool    // of memory of a pool
	block  *block   // of memory of a pool of this process
	memory *memory  // of a mapping
	access map[int]int32
	gone   bool // not to be used by anything; a freed block of a pool goes only when its stream comes to that
}

// addresses knows the spans in order.
type addresses struct {
	next  abi.Ptr
	spans []*span
	holes map[uint64][]abi.Ptr // freed addresses by size, with Recycle
}

// assign returns the address for bytes of memory, aligned to align, a power of two. Unless the configuration says otherwise, a gap follows: what lies behind an
// allocation is not the next one.
func (d *Driver) assign(bytes, align uint64) abi.Ptr {
	if holes := d.holes[bytes]; len(holes) > 0 && uint64(holes[len(holes)-1])%align == 0 {
		d.holes[bytes] = holes[:len(holes)-1]
		return holes[len(holes)-1]
	}
	at := max(d.next, firstAddress) + abi.Ptr(align-1)
	at -= at % abi.Ptr(align)
	d.next = at + abi.Ptr(bytes)
	if !d.cfg.Touching {
		d.next += pageBytes
	}
	return at
}

// find returns the index of the first span that ends beyond p.
func (a *addresses) find(p abi.Ptr) int {
	i, _ := slices.BinarySearchFunc(a.spans, p, func(s *span, p abi.Ptr) int {
		if uint64(s.base)+s.size <= uint64(p) {
			return -1
		}
		return 1
	})
	return i
}

// at returns the span that p lies in, or nil.
func (a *addresses) at(p abi.Ptr) *span {
	if i := a.find(p); i < len(a.spans) && a.spans[i].base <= p {
		return a.spans[i]
	}
	return nil
}

// starting returns the span that starts at p, or nil.
func (a *addresses) starting(p abi.Ptr) *span {
	if s := a.at(p); s != nil && s.base == p {
		return s
	}
	return nil
}

// place adds a span.
func (a *addresses) place(s *span) { a.spans = slices.Insert(a.spans, a.find(s.base), s) }

// remove removes a span: its addresses name nothing any more. Operations that were queued before can still use the span, until it is gone.
func (a *addresses) remove(s *span) {
	if i := a.find(s.base); i < len(a.spans) && a.spans[i] == s {
		a.spans = slices.Delete(a.spans, i, i+1)
	}
}

// piece is a part of a span that an operation uses.
type piece struct {
	span *span
	off  uint64 // in the store
	n    uint64
}

// resolve finds the memory of a range of addresses. Only mappings that touch each other can make one range.
func (a *addresses) resolve(p abi.Ptr, n uint64) ([]piece, abi.Result) {
	var pieces []piece
	for i := a.find(p); n > 0; i++ {
		if i >= len(a.spans) || a.spans[i].base > p {
			return nil, abi.InvalidValue
		}
		s := a.spans[i]
		if len(pieces) > 0 && s.kind != KindMapping {
			return nil, abi.InvalidValue
		}
		in := uint64(p - s.base)
		take := min(n, s.size-in)
		pieces = append(pieces, piece{s, s.offset + in, take})
		p += abi.Ptr(take)
		n -= take
		if n > 0 && s.kind != KindMapping {
			return nil, abi.InvalidValue
		}
	}
	return pieces, abi.Success
}

// allows reports whether a device may access a span.
func (s *span) allows(dev *device, write bool) bool {
	switch {
	case s.pool != nil:
		return s.pool.allows(dev, write)
	case s.kind == KindMapping:
		return permits(s.access[dev.ordinal], write)
	}
	return true
}

// permits reports whether an access right allows a use.
func permits(access int32, write bool) bool {
	return access == abi.AccessReadWrite || access == abi.AccessRead && !write
}

// usable reports whether all pieces still stand for memory.
func usable(pieces []piece) bool {
	return !slices.ContainsFunc(pieces, func(p piece) bool { return p.span.gone })
}
