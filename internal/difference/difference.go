// Package difference finds the live blocks that two snapshots have in common. poolgen snapshot adds up the others, and the page that shows pools marks
// them.
package difference

import (
	poolrt "github.com/poolgen/poolgen/runtime"
	"time"
)

// Side is a pool in one of the snapshots.
type Side struct {
	Pool *poolrt.PoolSnapshot // nil: it is not there
	Time time.Time            // of the snapshot
}

// Pair is a pool in both. One of them may lack it, and not both.
type Pair struct{ Before, After Side }

// key tells pools of one name apart.
type key struct {
	name   string
	number int
}

// Pairs lists the pools of the second snapshot, then those that only the first has. Pools are the same if they have the same name, and are as many-th of it.
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

// Known reports whether the live blocks of both sides are known one by one, as far as there are any. They are not for pools of concurrency none, which were not
// looked at, nor where blocks are freed all at once.
func (p Pair) Known() bool { return p.Before.singly() && p.After.singly() }

// singly reports whether each live block is a piece of its own.
func (s Side) singly() bool { return s.Pool == nil || s.Pool.Walked && !s.Pool.AllAtOnce }

// Without goes through the live blocks of a side that the other does not have, by the numbers of their chunk and piece. It takes the memory of a map of the
// other's blocks.
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

// each goes through the live blocks.
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

// same reports whether a block is the one in its place on the other side, as far as that is known: it has the same size and was handed out at the same
// time. If that time is known for one of the two only, they differ if that one was handed out after the other snapshot.
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
