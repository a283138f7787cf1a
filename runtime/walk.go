package runtime

// Row is blocks of one size side by side, for cores to walk along.
type Row struct {
	Off, Size uint64 // of the first; of each
	Count     uint64
}

// rowRun is how many neighbours become one piece at most, so that no piece takes long to find.
const rowRun = 64

// Walk is [Core.Walk] for a row, and reports whether to go on. look returns the state of a block, and what it was asked for with if it is one.
func (r Row) Walk(from uint64, stateOf func(i uint64) (s PieceState, asked uint64), see func(Piece) bool) bool {
	i := uint64(0)
	if from > r.Off {
		i = (from - r.Off) / r.Size
	}
	for i < r.Count {
		p := Piece{Off: r.Off + i*r.Size, Size: r.Size}
		p.State, p.Asked = stateOf(i)
		i++
		alone := p.State == PieceLive || p.State == PiecePending // one block, not to be joined with its neighbour
		for n := 1; n < rowRun && i < r.Count && !alone; n++ {
			if s, _ := stateOf(i); s != p.State {
				break
			}
			p.Size += r.Size
			i++
		}
		if !see(p) {
			return false
		}
	}
	return true
}

// survey lists a chunk from its start to its end, in steps between which it may change.
type survey struct {
	size   uint64 // of the chunk
	from   uint64 // the pieces cover what is below
	pieces []Piece
	batch  []Piece // seen by the last step
}

// step has the core show the next pieces, as many as the batch has room for, and reports whether they were the last. It takes up no memory, as allocations
// may be waiting for it.
func (s *survey) step(core Core, slot uint32) (last bool) {
	s.batch = s.batch[:0]
	if s.from >= s.size {
		return true
	}
	last = true
	core.Walk(slot, s.from, func(p Piece) bool {
		if p.Off+p.Size <= s.from {
			return true
		}
		s.batch = append(s.batch, p)
		last = len(s.batch) < cap(s.batch)
		return last
	})
	return last
}

// commit adds what the last step has seen. What was listed before stays, whatever has become of it since.
func (s *survey) commit(last bool) {
	for _, p := range s.batch {
		if p.Off < s.from {
			overlap := s.from - p.Off
			p.Off, p.Size, p.Asked = p.Off+overlap, p.Size-overlap, p.Asked-min(overlap, p.Asked)
		}
		s.waste(p.Off)
		s.add(p)
	}
	if last {
		s.waste(s.size)
	}
}

// waste accounts for what no piece covers below an offset.
func (s *survey) waste(end uint64) {
	if end > s.from {
		s.add(Piece{Off: s.from, Size: end - s.from, State: PieceWaste})
	}
}

// add adds the next piece, to the one in front of it if both are free.
func (s *survey) add(p Piece) {
	s.from = p.Off + p.Size
	if n := len(s.pieces); n > 0 && p.State == PieceFree && s.pieces[n-1].State == PieceFree {
		s.pieces[n-1].Size += p.Size
		return
	}
	s.pieces = append(s.pieces, p)
}

// Survey lists the pieces of a chunk of so many bytes, which cover it without gap or overlap, looking at a few at a time. It is what a snapshot makes of
// Walk, for the tests of cores.
func Survey(core Core, slot uint32, size uint64, few int) []Piece {
	s := survey{size: size, batch: make([]Piece, 0, few)}
	for last := false; !last; s.commit(last) {
		last = s.step(core, slot)
	}
	return s.pieces
}
