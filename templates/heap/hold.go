package heap

// MaxSlack is by how many bytes the room that [Space.Alloc] is asked for may exceed the request: with what rounding and an unsplit rest
// add, the difference fits 32 bits.
const MaxSlack = 1<<32 - granule - minSplit

// stateHeld, a state of a node: a block that is kept aside, and free for what stands in front of the heap.
const stateHeld = 2

// Place returns the chunk of a node and its offset there, in bytes.
func (s *Space) Place(i uint32) (slot uint32, off uint64) {
	d := s.at(i)
	c := s.chunk(d)
	return d.place >> stateBits, (d.unit-c.unit)*granule + uint64(c.lead)
}

// Slot returns the chunk of a node.
func (s *Space) Slot(i uint32) uint32 { return s.at(i).place >> stateBits }

// Room returns the bytes that a node takes up.
func Room(s *Space, i uint32) uint64 { return uint64(s.at(i).size) * granule }

// Asked returns the bytes that a live block was asked for with.
func (s *Space) Asked(i uint32) uint64 {
	d := s.at(i)
	return uint64(d.size)*granule - uint64(d.note)
}

// Address returns the address of a node.
func Address(s *Space, i uint32) uint64 { return s.at(i).unit * granule }

// Aligned reports whether the address of a node is a multiple of align, a power of two.
func Aligned(s *Space, i uint32, align uint64) bool {
	return align <= granule || s.at(i).unit&(align/granule-1) == 0
}

// Hold keeps a live block aside: Used does not count it any more, and a note takes the place of what it was asked for. Find finds it still; it
// does not merge. Hold returns the bytes that it takes up.
func Hold(s *Space, i, note uint32) uint64 {
	d := s.at(i)
	s.chunk(d).used -= d.size
	return HoldCounted(s, i, note)
}

// Resume makes a held block live again, for a request of bytes bytes, and returns the note and the bytes that it takes up. A held block
// that shall become free is resumed first.
func Resume(s *Space, i uint32, bytes uint64) (note uint32, room uint64) {
	d := s.at(i)
	s.chunk(d).used += d.size
	return ResumeCounted(s, i, bytes)
}

// HoldCounted keeps a live block aside, and Used goes on counting it: a note takes the place of what it was asked for. Find finds it still; it does
// not merge. HoldCounted returns the bytes that it takes up. It saves more time than it seems: a call that changes the count of a chunk waits until it
// is known which chunks the calls before are about.
func HoldCounted(s *Space, i, note uint32) uint64 {
	d := s.at(i)
	d.place += stateHeld - stateLive
	d.note = note
	return uint64(d.size) * granule
}

// ResumeCounted makes a held block live again that Used counts, for a request of bytes bytes, and returns the note and the bytes that it takes up.
func ResumeCounted(s *Space, i uint32, bytes uint64) (note uint32, room uint64) {
	d := s.at(i)
	d.place -= stateHeld - stateLive
	note, room = d.note, uint64(d.size)*granule
	d.note = uint32(room - bytes)
	return note, room
}

// HeldBytes returns the bytes that the held blocks of a chunk take up. It walks the nodes of the chunk.
func HeldBytes(s *Space, slot uint32) (n uint64) {
	for i := First(s, slot); i != 0; i = Next(s, i) {
		if Held(s, i) {
			n += Room(s, i)
		}
	}
	return n
}

// Held reports whether a block is held.
func Held(s *Space, i uint32) bool { return s.at(i).place&stateMask == stateHeld }

// Live reports whether a block is live.
func Live(s *Space, i uint32) bool { return s.at(i).place&stateMask == stateLive }

// Note returns the note of a held block.
func Note(s *Space, i uint32) uint32 { return s.at(i).note }

// SetNote replaces the note of a held block.
func SetNote(s *Space, i, note uint32) { s.at(i).note = note }

// First returns the node with the lowest address in a chunk, 0 if the chunk has none.
func First(s *Space, slot uint32) uint32 { return s.chunks[slot].first }

// Next returns the node that follows in the chunk, 0 after the last. Nodes are free ranges, live and held blocks.
func Next(s *Space, i uint32) uint32 { return s.at(i).next }

// Nodes returns the bound of the numbers of nodes so far, for tables beside them.
func Nodes(s *Space) int { return len(s.nodes) }
