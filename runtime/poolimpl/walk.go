package poolimpl

import poolrt "github.com/poolgen/poolgen/runtime"

// Row is a number of blocks of one size, side by side.
type Row struct {
	Off, Size uint64 // offset of the first block; size of each
	Count     uint64
}

// rowRun is how many neighbours become one piece at most, so that no piece takes long to find.
const rowRun = 64

// Walk is [Core.Walk] for a row, and reports whether to go on. stateOf returns the state of the i-th block of the row and, if it is live or pending, the
// bytes of its request.
func (r Row) Walk(from uint64, stateOf func(i uint64) (s poolrt.PieceState, asked uint64), see func(poolrt.Piece) bool) bool {
	i := uint64(0)
	if from > r.Off {
		i = (from - r.Off) / r.Size
	}
	for i < r.Count {
		p := poolrt.Piece{Off: r.Off + i*r.Size, Size: r.Size}
		p.State, p.Asked = stateOf(i)
		i++
		alone := p.State == poolrt.PieceLive || p.State == poolrt.PiecePending // one block, not joined with its neighbour
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

// survey lists the pieces of a chunk from start to end, in steps. Between two steps the chunk may change.
type survey struct {
	size   uint64 // of the chunk
	from   uint64 // pieces cover the chunk up to here
	pieces []poolrt.Piece
	batch  []poolrt.Piece // found by the last step
}

// step lists the next pieces, as many as the batch has room for, and reports whether they were the last. It allocates no Go memory, since other callers may
// be waiting for the lock.
func (s *survey) step(core Core, slot uint32) (last bool) {
	s.batch = s.batch[:0]
	if s.from >= s.size {
		return true
	}
	last = true
	core.Walk(slot, s.from, func(p poolrt.Piece) bool {
		if p.Off+p.Size <= s.from {
			return true
		}
		s.batch = append(s.batch, p)
		last = len(s.batch) < cap(s.batch)
		return last
	})
	return last
}

// commit adds the pieces of the last step. Where a piece overlaps those listed before, the earlier listing counts.
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

// waste adds what no piece covers below an offset.
func (s *survey) waste(end uint64) {
	if end > s.from {
		s.add(poolrt.Piece{Off: s.from, Size: end - s.from, State: poolrt.PieceWaste})
	}
}

// add adds the next piece. If it is free and so is the one before, add joins the two.
func (s *survey) add(p poolrt.Piece) {
	s.from = p.Off + p.Size
	if n := len(s.pieces); n > 0 && p.State == poolrt.PieceFree && s.pieces[n-1].State == poolrt.PieceFree {
		s.pieces[n-1].Size += p.Size
		return
	}
	s.pieces = append(s.pieces, p)
}

// Survey lists the pieces of a chunk of size bytes, which cover the chunk without gap or overlap, few at a time. It does what a snapshot does, for the tests
// of cores. The core must not change meanwhile.
func Survey(core Core, slot uint32, size uint64, few int) []poolrt.Piece {
	s := survey{size: size, batch: make([]poolrt.Piece, 0, few)}
	for last := false; !last; s.commit(last) {
		last = s.step(core, slot)
	}
	return s.pieces
}
