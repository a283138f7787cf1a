package heap

import "unsafe"

// First and best fit keep the free ranges in a treap: a search tree in the order of the fit, in which each node has a higher priority than
// its children (Seidel and Aragon, Randomized Search Trees, 1996). The priority is a hash of the number of the node, which is independent
// of the order, so the tree is about as deep as a random one. With first fit each node has the largest size in its subtree, so the search
// for the lowest address skips subtrees without room.

// branch is what a free range needs in a tree, next to its children. Only heaps with a tree have branches, as larger nodes would fill the caches.
type branch struct {
	up       uint32 // parent
	maxBelow uint32 // with first fit, the largest size in the subtree
}

// branch returns the branch of a node, which is within bounds as [Space.at] says.
func (s *Space) branch(i uint32) *branch {
	return (*branch)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(s.branches)), uintptr(i)*unsafe.Sizeof(branch{})))
}

// priority returns the priority of a node: a mix of the bits of its number (the finalizer of MurmurHash3).
func priority(i uint32) uint32 {
	i ^= i >> 16
	i *= 0x85ebca6b
	i ^= i >> 13
	i *= 0xc2b2ae35
	return i ^ i>>16
}

// less reports whether range i comes before range j.
func (s *Space) less(i, j uint32) bool {
	if s.Fit == BestFit {
		if m, n := s.at(i).size, s.at(j).size; m != n {
			return m < n
		}
	}
	return s.at(i).unit < s.at(j).unit
}

// insertTree adds a free range to the tree: as a leaf, which then moves up until its parent has a higher priority.
func (s *Space) insertTree(i uint32) {
	s.ranges.add(i)
	for len(s.branches) < len(s.nodes) {
		s.branches = append(s.branches, branch{})
	}
	d, b := s.at(i), s.branch(i)
	d.link, d.note = 0, 0
	*b = branch{maxBelow: d.size}
	if s.root == 0 {
		s.root = i
		return
	}
	for p := s.root; ; {
		e := s.at(p)
		next := &e.note
		if s.less(i, p) {
			next = &e.link
		}
		if *next == 0 {
			*next, b.up = i, p
			break
		}
		p = *next
	}
	if s.Fit == FirstFit {
		s.fixUp(b.up)
	}
	for own := priority(i); b.up != 0 && priority(b.up) < own; {
		s.rotateUp(i)
	}
}

// removeTree removes a free range from the tree: the range moves down until it has at most one child, which takes its place.
func (s *Space) removeTree(i uint32) {
	s.ranges.remove(i)
	d := s.at(i)
	for d.link != 0 && d.note != 0 {
		if priority(d.link) > priority(d.note) {
			s.rotateUp(d.link)
		} else {
			s.rotateUp(d.note)
		}
	}
	up := s.branch(i).up
	s.setChild(up, i, d.link|d.note)
	if s.Fit == FirstFit {
		s.fixUp(up)
	}
}

// rotateUp rotates a range above its parent.
func (s *Space) rotateUp(i uint32) {
	d, b := s.at(i), s.branch(i)
	p := b.up
	e, above := s.at(p), s.branch(p)
	if e.link == i {
		e.link = d.note
		s.setParent(d.note, p)
		d.note = p
	} else {
		e.note = d.link
		s.setParent(d.link, p)
		d.link = p
	}
	s.setChild(above.up, p, i)
	above.up = i
	if s.Fit == FirstFit {
		b.maxBelow = above.maxBelow
		above.maxBelow = s.computeMax(p)
	}
}

// setChild makes range i the child of p in the place of old; p 0 stands for the root.
func (s *Space) setChild(p, old, i uint32) {
	switch e := s.at(p); {
	case p == 0:
		s.root = i
	case e.link == old:
		e.link = i
	default:
		e.note = i
	}
	s.setParent(i, p)
}

// setParent sets the parent of a range, if there is one.
func (s *Space) setParent(i, p uint32) {
	if i != 0 {
		s.branch(i).up = p
	}
}

// computeMax returns the largest size in the subtree of a range.
func (s *Space) computeMax(i uint32) uint32 {
	d := s.at(i)
	return max(d.size, s.branch(d.link).maxBelow, s.branch(d.note).maxBelow)
}

// fixUp updates the largest sizes in subtrees from range i upwards, until one does not change.
func (s *Space) fixUp(i uint32) {
	for ; i != 0; i = s.branch(i).up {
		m := s.computeMax(i)
		if s.branch(i).maxBelow == m {
			return
		}
		s.branch(i).maxBelow = m
	}
}
