package heap

import "github.com/poolgen/poolgen/runtime/poolimpl"

// searchTree returns the first range in the order of the fit that has at least n granules, 0 if there is none.
func (s *Space) searchTree(n uint32) uint32 {
	if s.Fit == FirstFit {
		if s.root == 0 || s.branch(s.root).maxBelow < n {
			return 0
		}
		return s.firstBelow(s.root, n)
	}
	return s.smallest(n)
}

// firstBelow returns the range with the lowest address in a subtree that has one of n granules.
func (s *Space) firstBelow(i, n uint32) uint32 {
	for {
		d := s.at(i)
		if s.branch(d.link).maxBelow >= n {
			i = d.link
		} else if d.size >= n {
			return i
		} else {
			i = d.note
		}
	}
}

// smallest returns the smallest range of at least n granules, 0 if there is none.
func (s *Space) smallest(n uint32) uint32 {
	var found uint32
	for i := s.root; i != 0; {
		if d := s.at(i); d.size >= n {
			found, i = i, d.link
		} else {
			i = d.note
		}
	}
	return found
}

// scanTree is scan with a tree: it looks at ranges in the order of the fit.
func (s *Space) scanTree(n uint32, align uint64) uint32 {
	i := s.searchTree(n)
	for left := tries; i != 0; i = s.after(i, n) {
		if s.holds(i, n, align) {
			return i
		}
		if left--; left == 0 {
			return s.emptyChunk(n, align)
		}
	}
	return 0
}

// after returns the range of at least n granules that follows range i, 0 if there is none.
func (s *Space) after(i, n uint32) uint32 {
	if r := s.at(i).note; s.roomy(r, n) {
		return s.leftmost(r, n)
	}
	for p := s.branch(i).up; p != 0; p = s.branch(i).up {
		right := s.at(p).note == i
		i = p
		if right {
			continue
		}
		if s.at(i).size >= n {
			return i
		}
		if r := s.at(i).note; s.roomy(r, n) {
			return s.leftmost(r, n)
		}
	}
	return 0
}

// roomy reports whether subtree i, which follows a range that is large enough, has another such range.
func (s *Space) roomy(i, n uint32) bool {
	if s.Fit == FirstFit {
		return s.branch(i).maxBelow >= n
	}
	return i != 0 // sizes only increase
}

// leftmost returns the first range of at least n granules in a subtree that has one.
func (s *Space) leftmost(i, n uint32) uint32 {
	if s.Fit == FirstFit {
		return s.firstBelow(i, n)
	}
	for s.at(i).link != 0 {
		i = s.at(i).link
	}
	return i
}

// atLeast lists the free ranges of at least n granules.
func (s *Space) atLeast(n uint32) (list []uint32) {
	if s.tree {
		for i := s.searchTree(n); i != 0; i = s.after(i, n) {
			list = append(list, i)
		}
		return list
	}
	for i := s.free.First(poolimpl.SizeBin(n)); i != 0; {
		b := poolimpl.SizeBin(s.at(i).size)
		for ; i != 0; i = s.at(i).link {
			if s.at(i).size >= n {
				list = append(list, i)
			}
		}
		i = s.free.First(b + 1)
	}
	return list
}

// largestInTree returns the granules of the largest free range.
func (s *Space) largestInTree() uint32 {
	if s.root == 0 {
		return 0
	}
	if s.Fit == FirstFit {
		return s.branch(s.root).maxBelow
	}
	i := s.root
	for s.at(i).note != 0 {
		i = s.at(i).note
	}
	return s.at(i).size
}
