// Package difference finds the live blocks that two snapshots have in common. poolgen snapshot sums the other blocks, and the page of package
// poolpage marks them.
package difference

import (
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Side is a pool in one of the snapshots.
type Side struct {
	Pool *poolrt.PoolSnapshot // nil: that snapshot does not have the pool
	Time time.Time            // of the snapshot
}

// Pair is a pool in both snapshots. At most one of them lacks it.
type Pair struct{ Before, After Side }

// key distinguishes pools of one name.
type key struct {
	name   string
	number int
}

// Pairs lists the pools of the second snapshot, then those that only the first has. Pools are the same if they have the same name and the same
// position among the pools of that name.
func Pairs(before, after *poolrt.Snapshot) (list []Pair) {
	olds, news := keysOf(before), keysOf(after)
	at := map[key]int{}
	for i, k := range olds {
		at[k] = i
	}
	for i, k := range news {
		p := Pair{Side{nil, before.Time}, Side{&after.Pools[i], after.Time}}
		if old, ok := at[k]; ok {
			p.Before.Pool = &before.Pools[old]
			delete(at, k)
		}
		list = append(list, p)
	}
	for i, k := range olds {
		if _, went := at[k]; went {
			list = append(list, Pair{Side{&before.Pools[i], before.Time}, Side{nil, after.Time}})
		}
	}
	return list
}

func keysOf(s *poolrt.Snapshot) (list []key) {
	seen := map[string]int{}
	for i := range s.Pools {
		name := s.Pools[i].Name
		list = append(list, key{name, seen[name]})
		seen[name]++
	}
	return list
}

// Known reports whether the live blocks of both sides, if there are any, are known one by one. They are not in pools of concurrency none, which
// snapshots do not walk, and in pools whose blocks are freed all at once.
func (p Pair) Known() bool { return p.Before.singly() && p.After.singly() }

// singly reports whether each live block is a separate piece.
func (s Side) singly() bool { return s.Pool == nil || s.Pool.Walked && !s.Pool.AllAtOnce }

// Without calls f for each live block of a side that the other does not have, with the numbers of its chunk and piece. It takes the memory of a map
// of the other side's blocks.
func (s Side) Without(other Side, see func(chunk, piece int)) {
	has := map[uint64]*poolrt.Piece{}
	other.each(func(chunk, piece int) {
		c := &other.Pool.Chunks[chunk]
		has[c.Addr+c.Pieces[piece].Off] = &c.Pieces[piece]
	})
	s.each(func(chunk, piece int) {
		c := &s.Pool.Chunks[chunk]
		if !s.same(&c.Pieces[piece], has[c.Addr+c.Pieces[piece].Off], other) {
			see(chunk, piece)
		}
	})
}

// each calls f for each live block.
func (s Side) each(see func(chunk, piece int)) {
	if s.Pool == nil {
		return
	}
	for i := range s.Pool.Chunks {
		for k := range s.Pool.Chunks[i].Pieces {
			if s.Pool.Chunks[i].Pieces[k].State == poolrt.PieceLive {
				see(i, k)
			}
		}
	}
}

// same reports whether a block is the one at the same place on the other side, as far as that is known: it has the same size and was allocated at the
// same time. If the time is known for only one of the two, they differ if that one was allocated after the snapshot of the other.
func (s Side) same(a, b *poolrt.Piece, other Side) bool {
	switch {
	case b == nil || a.Size != b.Size:
		return false
	case a.Since != 0 && b.Since != 0:
		return a.Since == b.Since
	case a.Since != 0:
		return a.Since <= other.Time.UnixNano()
	case b.Since != 0:
		return b.Since <= s.Time.UnixNano()
	}
	return true
}
