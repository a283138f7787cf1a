// Package history checks the history of a pool that several goroutines used: whether there is an order of all allocations and frees, each at
// some moment between its call and its return, in which a pool for one goroutine could have returned the same results. (Herlihy and Wing,
// Linearizability, 1990.)
//
// An allocator makes that simple. A block is surely live from the return of its allocation to the call of its free; if no two blocks that
// overlap are surely live at the same time, moments can be chosen for which none are live together. A refusal for lack of room is right if,
// at some moment of the call, so many blocks may have been live that none was free.
package history

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Log has the calls of one goroutine. Logs of one history share a start.
type Log struct {
	start time.Time
	ops   []op
}

// op is one call.
type op struct {
	from, to    time.Duration // call and return
	addr, bytes uint64
	kind        kind
}

type kind uint8

const (
	alloc kind = iota
	free
	refused
)

// Logs returns n logs of one history.
func Logs(n int) []*Log {
	start := time.Now()
	logs := make([]*Log, n)
	for i := range logs {
		logs[i] = &Log{start: start}
	}
	return logs
}

// Alloc records an allocation: f allocates and returns the block, and whether that succeeded.
func (l *Log) Alloc(f func() (addr, bytes uint64, ok bool)) {
	from := time.Since(l.start)
	addr, bytes, ok := f()
	o := op{from, time.Since(l.start), addr, bytes, alloc}
	if !ok {
		o.kind = refused
	}
	l.ops = append(l.ops, o)
}

// Free records a free of a live block, which f makes.
func (l *Log) Free(addr, bytes uint64, f func()) {
	from := time.Since(l.start)
	f()
	l.ops = append(l.ops, op{from, time.Since(l.start), addr, bytes, free})
}

// Check returns an error if a history is impossible. blocks is the number of blocks of one size that the pool has; 0: refusals are not checked.
func Check(logs []*Log, blocks int) error {
	var all []op
	for _, l := range logs {
		all = append(all, l.ops...)
	}
	if err := checkBlocks(all); err != nil {
		return err
	}
	if blocks == 0 {
		return nil
	}
	return checkRefusals(all, blocks)
}

// life is the time in which a block is surely live.
type life struct {
	addr, bytes uint64
	from, to    time.Duration
}

// forever is the end of a block that was not freed.
const forever = time.Duration(1<<63 - 1)

// lives pairs the allocations of each address with its frees.
func lives(all []op) ([]life, error) {
	byAddr := map[uint64][2][]op{}
	for _, o := range all {
		if o.kind != refused {
			l := byAddr[o.addr]
			l[o.kind] = append(l[o.kind], o)
			byAddr[o.addr] = l
		}
	}
	var list []life
	for addr, l := range byAddr {
		allocs, frees := l[alloc], l[free]
		slices.SortFunc(allocs, func(a, b op) int { return cmp.Compare(a.to, b.to) })
		slices.SortFunc(frees, func(a, b op) int { return cmp.Compare(a.from, b.from) })
		for i, f := range frees {
			if i >= len(allocs) || f.from < allocs[i].to || f.bytes != allocs[i].bytes {
				return nil, fmt.Errorf("at %v: free of %#x+%d, which was not handed out", f.from, addr, f.bytes)
			}
		}
		for i, a := range allocs {
			x := life{addr, a.bytes, a.to, forever}
			if i < len(frees) {
				x.to = frees[i].from
			}
			list = append(list, x)
		}
	}
	return list, nil
}

// edge is the beginning or the end of a time in which a block is live.
type edge struct {
	at    time.Duration
	begin bool
	life  life
}

// edges orders the beginnings and ends, of the same moment ends first.
func edges(list []life) []edge {
	var all []edge
	for _, l := range list {
		if l.from < l.to {
			all = append(all, edge{l.from, true, l}, edge{l.to, false, l})
		}
	}
	slices.SortFunc(all, func(a, b edge) int {
		if a.at != b.at || a.begin == b.begin {
			return cmp.Compare(a.at, b.at)
		}
		if a.begin {
			return 1
		}
		return -1
	})
	return all
}

// checkBlocks checks that no two overlapping blocks are surely live at the same time.
func checkBlocks(all []op) error {
	list, err := lives(all)
	if err != nil {
		return err
	}
	var live []life // by address
	for _, e := range edges(list) {
		i, _ := slices.BinarySearchFunc(live, e.life.addr, func(l life, addr uint64) int { return cmp.Compare(l.addr, addr) })
		if !e.begin {
			live = slices.Delete(live, i, i+1)
			continue
		}
		for _, near := range live[max(i-1, 0):min(i+1, len(live))] {
			if near.addr < e.life.addr+e.life.bytes && e.life.addr < near.addr+near.bytes {
				return fmt.Errorf("at %v: %#x+%d was handed out while %#x+%d, since %v, was live",
					e.at, e.life.addr, e.life.bytes, near.addr, near.bytes, near.from)
			}
		}
		live = slices.Insert(live, i, e.life)
	}
	return nil
}

// checkRefusals checks that no allocation was refused while a block was free throughout the call.
func checkRefusals(all []op, blocks int) error {
	type step struct {
		at   time.Duration
		more int // blocks that may be live
	}
	var steps []step
	for _, o := range all {
		switch o.kind {
		case alloc:
			steps = append(steps, step{o.from, 1})
		case free:
			steps = append(steps, step{o.to, -1})
		}
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(b.more, a.more)) })
	var full []time.Duration // moments from which on all blocks may be live, and fewer again, in turn
	live := 0
	for _, s := range steps {
		before := live
		live += s.more
		if (before < blocks) != (live < blocks) {
			full = append(full, s.at)
		}
	}
	for _, o := range all {
		if o.kind != refused {
			continue
		}
		i, _ := slices.BinarySearch(full, o.from)
		wasFull := i%2 == 1
		becomesFull := i < len(full) && full[i] <= o.to
		if !wasFull && !becomesFull {
			return fmt.Errorf("from %v to %v: refused, and fewer than %d blocks were live", o.from, o.to, blocks)
		}
	}
	return nil
}
