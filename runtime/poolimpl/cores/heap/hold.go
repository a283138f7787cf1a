package heap

import poolrt "github.com/poolgen/poolgen/runtime"

// Place returns the chunk of a node and the offset of the node there, in bytes.
func (s *Space) Place(i uint32) (slot uint32, off uint64) {
	d := s.at(i)
	c := s.chunk(d)
	return d.slot(), (d.unit-c.unit)<<(s.shift&63) + uint64(c.lead)
}

// Slot returns the chunk of a node.
func (s *Space) Slot(i uint32) uint32 { return s.at(i).slot() }

// Room returns the bytes that a node takes up.
func (s *Space) Room(i uint32) uint64 { return uint64(s.at(i).size) << (s.shift & 63) }

// Asked returns the bytes that a live block was asked for with.
func (s *Space) Asked(i uint32) uint64 {
	d := s.at(i)
	return uint64(d.size)<<(s.shift&63) - uint64(d.note)
}

// Address returns the address of a node.
func (s *Space) Address(i uint32) uint64 { return s.at(i).unit << (s.shift & 63) }

// Aligned reports whether the address of a node is a multiple of align, a power of two.
func (s *Space) Aligned(i uint32, align uint64) bool {
	return align <= s.Granule || s.at(i).unit&(align>>(s.shift&63)-1) == 0
}

// Hold makes a live block a held one: kept for later requests, with a note in place of the bytes asked for. Find still finds the block. If counted,
// Used still counts it, as a change of the chunk's count is slower than it seems: it waits until earlier calls have found their chunks. Hold
// returns the bytes that the block takes up.
func (s *Space) Hold(i, note uint32, counted bool) uint64 {
	d := s.at(i)
	d.place += uint32(poolrt.PieceCached - poolrt.PieceLive) // with setState the function would not be inlined
	d.note = note
	if !counted {
		s.chunk(d).used -= d.size
	}
	return uint64(d.size) << (s.shift & 63)
}

// Resume makes a held block live, for a request of bytes bytes, and returns the note and the bytes that the block takes up. A held block must
// become live before it can become free. counted is as it was for [Space.Hold].
func (s *Space) Resume(i uint32, bytes uint64, counted bool) (note uint32, room uint64) {
	d := s.at(i)
	d.place -= uint32(poolrt.PieceCached - poolrt.PieceLive)
	note, room = d.note, uint64(d.size)<<(s.shift&63)
	d.note = uint32(room - bytes)
	if !counted {
		s.chunk(d).used += d.size
	}
	return note, room
}

// HeldBytes returns the bytes that the held blocks of a chunk take up. Costs O(nodes of the chunk).
func (s *Space) HeldBytes(slot uint32) (n uint64) {
	for i := s.First(slot); i != 0; i = s.Next(i) {
		if s.Held(i) {
			n += s.Room(i)
		}
	}
	return n
}

// Held reports whether a node is a held block.
func (s *Space) Held(i uint32) bool { return s.at(i).state() == poolrt.PieceCached }

// Live reports whether a node is a live block.
func (s *Space) Live(i uint32) bool { return s.at(i).state() == poolrt.PieceLive }

// StateOf returns whether a node is live, free, held or a hole.
func (s *Space) StateOf(i uint32) poolrt.PieceState {
	return s.shown(s.at(i).state())
}

// Slots returns the bound of the slots of the chunks so far.
func (s *Space) Slots() uint32 { return uint32(len(s.chunks)) }

// Note returns the note of a held block.
func (s *Space) Note(i uint32) uint32 { return s.at(i).note }

// SetNote replaces the note of a held block.
func (s *Space) SetNote(i, note uint32) { s.at(i).note = note }

// First returns the node with the lowest address in a chunk, 0 if the chunk has none.
func (s *Space) First(slot uint32) uint32 { return s.chunks[slot].first }

// Next returns the node that follows in the chunk, 0 after the last.
func (s *Space) Next(i uint32) uint32 { return s.at(i).next }

// Nodes returns the bound of the numbers of nodes so far, the length of a table by node.
func (s *Space) Nodes() int { return len(s.nodes) }
