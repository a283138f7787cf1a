package heap

// First and best fit keep the free ranges in a treap: a search tree in the order of the fit, in which each node
// has a higher priority than those below it (Seidel and Aragon, 1996). Priorities are a hash of the node's number, which has nothing
// to do with the order, so the tree is about as deep as a random one. For first fit each node knows
// the largest size below it, so that the search for the lowest address passes by the parts that have no room.

// priority returns the rank of a node in the tree: a mix of its number's bits (the finalizer of MurmurHash3).
func priority(i uint32) uint32 {
	i ^= i >> 16
	i *= 0x85ebca6b
	i ^= i >> 13
	i *= 0xc2b2ae35
	return i ^ i>>16
}

// less reports whether range i comes before range j.
func (s *Space) less(i, j uint32) bool {
	if fit == fitBest {
		if m, n := s.at(i).size, s.at(j).size; m != n {
			return m < n
		}
	}
	return s.at(i).unit < s.at(j).unit
}

// insertTree enters a free range into the tree: as a leaf, then up until its parent has a higher priority.
func (s *Space) insertTree(i uint32) {
	d := s.at(i)
	d.link, d.note, d.up = 0, 0, 0
	if fit == fitFirst {
		d.maxBelow = d.size
	}
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
			*next, d.up = i, p
			break
		}
		p = *next
	}
	if fit == fitFirst {
		s.fixUp(d.up)
	}
	for rank := priority(i); d.up != 0 && priority(d.up) < rank; {
		s.rotateUp(i)
	}
}

// removeTree takes a free range out of the tree: down until it has one child at most, which takes its place.
func (s *Space) removeTree(i uint32) {
	d := s.at(i)
	for d.link != 0 && d.note != 0 {
		if priority(d.link) > priority(d.note) {
			s.rotateUp(d.link)
		} else {
			s.rotateUp(d.note)
		}
	}
	s.setChild(d.up, i, d.link|d.note)
	if fit == fitFirst {
		s.fixUp(d.up)
	}
}

// rotateUp rotates a range above its parent.
func (s *Space) rotateUp(i uint32) {
	d := s.at(i)
	p := d.up
	e := s.at(p)
	if e.link == i {
		e.link = d.note
		s.setParent(d.note, p)
		d.note = p
	} else {
		e.note = d.link
		s.setParent(d.link, p)
		d.link = p
	}
	s.setChild(e.up, p, i)
	e.up = i
	if fit == fitFirst {
		d.maxBelow = e.maxBelow
		e.maxBelow = s.computeMax(p)
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
		s.at(i).up = p
	}
}

// computeMax returns the largest size in the subtree of a range.
func (s *Space) computeMax(i uint32) uint32 {
	d := s.at(i)
	return max(d.size, s.at(d.link).maxBelow, s.at(d.note).maxBelow)
}

// fixUp brings the largest sizes from range i upwards up to date, as far as they change.
func (s *Space) fixUp(i uint32) {
	for ; i != 0; i = s.at(i).up {
		m := s.computeMax(i)
		if s.at(i).maxBelow == m {
			return
		}
		s.at(i).maxBelow = m
	}
}
