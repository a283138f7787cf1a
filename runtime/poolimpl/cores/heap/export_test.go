package heap

import (
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// check verifies everything that must hold between two calls.
func (s *Space) check(t testing.TB) {
	t.Helper()
	free, blocks := map[uint32]bool{}, map[uint32]bool{}
	for slot := range s.chunks {
		s.checkChunk(t, uint32(slot), free, blocks)
	}
	s.checkIndex(t, blocks)
	if goodFit {
		s.checkBins(t, free)
	} else {
		s.checkTree(t, free)
	}
	s.checkReserve(t, len(free)+len(blocks))
	s.checkRanges(t, free)
}

// checkChunk verifies that the nodes of a chunk cover it and collects them.
func (s *Space) checkChunk(t testing.TB, slot uint32, free, blocks map[uint32]bool) {
	t.Helper()
	c := s.chunks[slot]
	if c.first == 0 {
		return
	}
	var prev, used uint32
	at, merged := c.unit, false
	for i := c.first; i != 0; i = s.nodes[i].next {
		d := s.nodes[i]
		if d.prev != prev || d.size == 0 || d.slot() != slot || d.unit != at {
			t.Fatalf("chunk %d: node %d is %+v at %d, want %d after %d", slot, i, d, d.unit, at, prev)
		}
		switch d.state() {
		case poolrt.PieceFree:
			if merged {
				t.Fatalf("chunk %d: free neighbours %d and %d", slot, prev, i)
			}
			free[i] = true
		case poolrt.PieceLive, poolrt.PiecePending:
			used += d.size
			blocks[i] = true
		default:
			blocks[i] = true
		}
		merged = d.state() == poolrt.PieceFree
		at += uint64(d.size)
		prev = i
	}
	if at-c.unit != uint64(c.size) || used != c.used {
		t.Fatalf("chunk %d: covers %d of %d, used %d says %d", slot, at-c.unit, c.size, used, c.used)
	}
}

// checkIndex verifies that the index has each block once and nothing else.
func (s *Space) checkIndex(t testing.TB, blocks map[uint32]bool) {
	t.Helper()
	n := 0
	for _, i := range s.index.bucket {
		for ; i != 0; i = s.nodes[i].link {
			if !blocks[i] || *s.Find(s.Address(i)) != i {
				t.Fatalf("index has node %d", i)
			}
			n++
		}
	}
	if n != len(blocks) || n != int(s.index.count) {
		t.Fatalf("index has %d, counts %d of %d blocks", n, s.index.count, len(blocks))
	}
}

// checkBins verifies that the bins have each free range once, in the right bin.
func (s *Space) checkBins(t testing.TB, free map[uint32]bool) {
	t.Helper()
	n := 0
	for first := s.free.First(0); first != 0; {
		b := poolimpl.SizeBin(s.nodes[first].size)
		var prev uint32
		for i := first; i != 0; i = s.nodes[i].link {
			if d := s.nodes[i]; !free[i] || poolimpl.SizeBin(d.size) != b || d.note != prev {
				t.Fatalf("bin %d has node %d: %+v", b, i, d)
			}
			prev = i
			n++
		}
		if s.free.Head(b) != first {
			t.Fatalf("bin %d begins with %d, not %d", b, s.free.Head(b), first)
		}
		first = s.free.First(b + 1)
	}
	if n != len(free) {
		t.Fatalf("bins have %d of %d free ranges", n, len(free))
	}
}

// checkTree verifies order, priorities, parents and sizes of the tree.
func (s *Space) checkTree(t testing.TB, free map[uint32]bool) {
	t.Helper()
	var last uint32
	n := 0
	var walk func(i, up uint32) uint32
	walk = func(i, up uint32) uint32 {
		if i == 0 {
			return 0
		}
		if !free[i] || s.branches[i].up != up || up != 0 && priority(up) < priority(i) {
			t.Fatalf("tree has node %d below %d: %+v", i, up, s.nodes[i])
		}
		m := walk(s.nodes[i].link, i)
		if last != 0 && !s.less(last, i) {
			t.Fatalf("node %d comes before %d", last, i)
		}
		last = i
		n++
		m = max(m, s.nodes[i].size, walk(s.nodes[i].note, i))
		if fit == FirstFit && s.branches[i].maxBelow != m {
			t.Fatalf("node %d: largest size is %d, want %d", i, s.branches[i].maxBelow, m)
		}
		return m
	}
	walk(s.root, 0)
	if n != len(free) {
		t.Fatalf("tree has %d of %d free ranges", n, len(free))
	}
}

// checkReserve verifies that each node is in a chunk or unused.
func (s *Space) checkReserve(t testing.TB, standing int) {
	t.Helper()
	n := 0
	for i := s.unusedNodes; i != 0; i = s.nodes[i].link {
		n++
	}
	if want := len(s.nodes) - 1 - standing; len(s.nodes) > 0 && n != want {
		t.Fatalf("%d unused nodes, want %d", n, want)
	}
}

// checkRanges verifies that the set of the free ranges has these and nothing else.
func (s *Space) checkRanges(t testing.TB, free map[uint32]bool) {
	t.Helper()
	for i := range s.nodes {
		if s.ranges.has(uint32(i)) != free[uint32(i)] {
			t.Fatalf("node %d of %d: free is %v", i, len(s.nodes), free[uint32(i)])
		}
	}
}
