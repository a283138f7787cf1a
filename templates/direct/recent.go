package direct

// recentFrees has the addresses freed last, which tell a second free from a free of a foreign address: the table does not have a freed block, as its chunk
// is given back at once. Each address is there until one with the same hash is freed.
type recentFrees struct {
	addrs *[256]uint64 // by hash; nil before the first free
}

// indexOf returns where an address is kept: the upper bits of the hash that the table uses.
func indexOf(addr uint64) uint8 { return uint8(addr * 0x9e3779b97f4a7c15 >> 56) }

func (g *recentFrees) add(addr uint64) {
	if g.addrs == nil {
		g.addrs = new([256]uint64)
	}
	g.addrs[indexOf(addr)] = addr
}

// has reports whether a block that started at addr was freed lately. No block starts at 0.
func (g *recentFrees) has(addr uint64) bool {
	return addr != 0 && g.addrs != nil && g.addrs[indexOf(addr)] == addr
}
