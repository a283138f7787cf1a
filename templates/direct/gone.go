package direct

// gone remembers the last freed addresses, so that a second free is told from one of a block that never was: the chunk of
// a freed block is given back at once, and the table knows it no more. An address is forgotten when another takes its place.
type gone struct {
	addrs []uint64 // by hash
}

// remembered is how many addresses are kept, a power of two.
const remembered = 256

// place returns where an address is kept, spread as in the table.
func (g *gone) place(addr uint64) *uint64 {
	return &g.addrs[addr*0x9e3779b97f4a7c15>>32%remembered]
}

func (g *gone) note(addr uint64) {
	if g.addrs == nil {
		g.addrs = make([]uint64, remembered)
	}
	*g.place(addr) = addr
}

// holds reports whether a block that started at addr was freed lately. No block starts at 0.
func (g *gone) holds(addr uint64) bool {
	return addr != 0 && g.addrs != nil && *g.place(addr) == addr
}
