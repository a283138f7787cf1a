package heap

import (
	"slices"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// barred is the state of a node that [Space.Bar] has made of a part of a hole; no node is waste. [Space.Walk] shows it as a hole.
const barred = poolrt.PieceWaste

// shown returns the state in which a walk shows a node.
func (s *Space) shown(state poolrt.PieceState) poolrt.PieceState {
	if state == barred {
		return poolrt.PieceHole
	}
	return state
}

// punch makes a hole of a free range that requests do not find, and merges it with the holes beside it.
func (s *Space) punch(i uint32) {
	d := s.at(i)
	d.setState(poolrt.PieceHole)
	k := s.endsBehind(s.holes, d.unit)
	if q := d.next; s.at(q).state() == poolrt.PieceHole {
		s.mergeNext(i, q)
		s.holes[k] = i
	} else {
		s.holes = slices.Insert(s.holes, k, i)
	}
	if p := d.prev; s.at(p).state() == poolrt.PieceHole {
		s.mergeNext(p, i)
		s.holes = slices.Delete(s.holes, k, k+1)
	}
}

// endsBehind returns the index of the first of some nodes, in the order of their addresses, that ends behind an address, given in granules.
func (s *Space) endsBehind(nodes []uint32, unit uint64) int {
	k, _ := slices.BinarySearchFunc(nodes, unit, func(i uint32, unit uint64) int {
		if d := s.at(i); d.unit+uint64(d.size) <= unit {
			return -1
		}
		return 1
	})
	return k
}

// cutHole makes a part of a hole a node of its own, which is in no list. What is left of the hole stays one.
func (s *Space) cutHole(x poolimpl.Extent) uint32 {
	unit, n := x.Addr>>(s.shift&63), uint32(x.Size>>(s.shift&63))
	k := s.endsBehind(s.holes, unit)
	i, first := s.holes[k], k
	if front := uint32(unit - s.at(i).unit); front > 0 {
		i = s.split(i, front)
		first++
	}
	if s.at(i).size > n {
		s.holes = slices.Replace(s.holes, first, k+1, s.split(i, n))
	} else {
		s.holes = slices.Delete(s.holes, first, k+1)
	}
	return i
}

// Bar keeps memory away from a part of a hole, in whole pages, until Unbar: it makes the part a node that is no hole, so nothing merges with it, and no search
// finds it.
func (s *Space) Bar(x poolimpl.Extent) {
	i := s.cutHole(x)
	s.at(i).setState(barred)
	s.barred = slices.Insert(s.barred, s.endsBehind(s.barred, s.at(i).unit), i)
}

// Unbar ends [Space.Bar] for the same part.
func (s *Space) Unbar(x poolimpl.Extent) {
	k := s.endsBehind(s.barred, x.Addr>>(s.shift&63))
	i := s.barred[k]
	s.barred = slices.Delete(s.barred, k, k+1)
	s.punch(i)
}

// barredAt reports whether an address is barred.
func (s *Space) barredAt(addr uint64) bool {
	unit := addr >> (s.shift & 63)
	k := s.endsBehind(s.barred, unit)
	return addr&s.mask == 0 && k < len(s.barred) && s.at(s.barred[k]).unit <= unit
}
