package hazard

// Checker finds uses that nothing orders.
type Checker struct {
	On bool
}

// Place is a range of physical memory.
type Place struct {
	Memory uint64
	Offset uint64
	Bytes  uint64
}

// Use notes a use.
func (c *Checker) Use(at Place, write bool, point Point, clock, host Clock) {}
