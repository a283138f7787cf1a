package direct

// recentFrees has the addresses freed last. They distinguish a second free from a free of a foreign address: the table does not contain a freed block, as
// the pool returns its chunk at once. An address is replaced when one with the same hash is freed.
type recentFrees struct {
	addrs *[256]uint64 // by hash; nil before the first free
}

// indexOf returns the index of an address: the upper bits of the hash that the table uses.
func indexOf(addr uint64) uint8 { return uint8(addr * 0x9e3779b97f4a7c15 >> 56) }

// add adds an address.
func (g *recentFrees) add(addr uint64) {
	if g.addrs == nil {
		g.addrs = new([256]uint64)
	}
	g.addrs[indexOf(addr)] = addr
}

// has reports whether addr is among the addresses freed last. No block starts at 0, which stands for an empty entry.
func (g *recentFrees) has(addr uint64) bool {
	return addr != 0 && g.addrs != nil && g.addrs[indexOf(addr)] == addr
}
