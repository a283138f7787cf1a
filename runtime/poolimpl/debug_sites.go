//go:build pooldebug

package poolimpl

import (
	"cmp"
	"slices"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Live blocks are grouped by the calls that allocated them when they are allocated and freed, and not when somebody needs the list: a pool at its limit lists
// the groups in each error, and may have a million live blocks.

// liveSite is the live blocks that the same call stack has allocated. debugState.mu guards it.
type liveSite struct {
	count, bytes   int64
	oldest, newest *blockRecord // ends of the list of the blocks, in the order of their numbers
}

// enter adds a block to those of its call stack. Cost: constant for a new block.
func (d *debugState) enter(b *blockRecord) {
	if d.sites == nil {
		d.sites = map[*uintptr]*liveSite{}
	}
	key := unsafe.SliceData(b.allocatedAt.stack)
	s := d.sites[key]
	if s == nil {
		s = &liveSite{}
		d.sites[key] = s
	}
	s.count++
	s.bytes += int64(b.bytes)
	before := s.newest
	for before != nil && before.serial > b.serial { // a free in the core has failed
		before = before.older
	}
	s.link(before, b)
	b.site = s
}

// link puts a block behind another one; nil: at the start.
func (s *liveSite) link(before, b *blockRecord) {
	after := s.oldest
	if before != nil {
		after = before.newer
	}
	s.join(before, b)
	s.join(b, after)
}

// join makes two blocks neighbours; nil is an end of the list.
func (s *liveSite) join(a, b *blockRecord) {
	if a == nil {
		s.oldest = b
	} else {
		a.newer = b
	}
	if b == nil {
		s.newest = a
	} else {
		b.older = a
	}
}

// leave removes a block that enter has added. It does nothing for other blocks. Cost: constant.
func (d *debugState) leave(b *blockRecord) {
	s := b.site
	if s == nil {
		return
	}
	s.count--
	s.bytes -= int64(b.bytes)
	s.join(b.older, b.newer)
	b.site, b.older, b.newer = nil, nil, nil
	if s.count == 0 {
		delete(d.sites, unsafe.SliceData(b.allocatedAt.stack))
	}
}

// leaks lists the live blocks by the calls that allocated them, most bytes first. Cost: as many steps as there are different call stacks.
func (o *observed) leaks(e *Engine) []poolrt.Leak {
	d, pool, unit := &o.debug, e.name.get(), e.generated.unit()
	d.mu.Lock()
	defer d.mu.Unlock()
	out := make([]poolrt.Leak, 0, len(d.sites))
	for _, s := range d.sites {
		at := s.oldest.allocatedAt
		out = append(out, poolrt.Leak{Pool: pool, Count: s.count, Bytes: s.bytes, Since: at.time, Goroutine: at.goroutine, Stack: at.stack, Unit: unit})
	}
	slices.SortFunc(out, func(a, b poolrt.Leak) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), a.Since.Compare(b.Since)) })
	return out
}
