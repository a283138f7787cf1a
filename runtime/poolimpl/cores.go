package poolimpl

// cores is the suballocator as each of its interfaces; nil if it does not implement the interface.
type cores struct {
	Core
	shared   SharedCore // goroutines call it without the lock
	stream   StreamCore // the pool is ordered with streams
	gathers  GatheringCore
	spread   SpreadingCore
	rounds   RoundingCore
	slabs    SlabCore
	empties  EmptyingCore
	searched SearchedCore
	paged    PagedCore  // memory may be mapped by pages
	moving   MovingCore // which may move while streams use them
	ranged   RangeCore  // chunks should lie in one range
	sharing  SharingCore
	classed  ClassCore
	hoards   HoardingCore
	sampled  SampledCore // blocks are sampled
	driver   driverOrder // ordering driver: the table of blocks that the core contains
}

// as finds out which interfaces a suballocator implements, and sets its parameters, if it has some.
func (c *cores) as(core Core, params any) {
	c.Core = core
	c.shared, _ = core.(SharedCore)
	c.stream, _ = core.(StreamCore)
	c.gathers, _ = core.(GatheringCore)
	c.spread, _ = core.(SpreadingCore)
	c.rounds, _ = core.(RoundingCore)
	c.slabs, _ = core.(SlabCore)
	c.empties, _ = core.(EmptyingCore)
	c.searched, _ = core.(SearchedCore)
	c.paged, _ = core.(PagedCore)
	c.moving, _ = core.(MovingCore)
	c.ranged, _ = core.(RangeCore)
	c.sharing, _ = core.(SharingCore)
	c.classed, _ = core.(ClassCore)
	c.hoards, _ = core.(HoardingCore)
	c.sampled, _ = core.(SampledCore)
	if of, ok := core.(interface{ driverOrder() driverOrder }); ok {
		c.driver = of.driverOrder()
	}
	if p, ok := core.(ParamCore); ok {
		p.Set(params)
	}
	if f, ok := core.(FeaturedCore); ok {
		c.only(f.Features())
	}
}

// only forgets the interfaces that the pool does not use.
func (c *cores) only(has Features) {
	if !has.Streams {
		c.stream, c.gathers = nil, nil
	}
	if !has.Spreads {
		c.spread = nil
	}
	if !has.Rounds {
		c.rounds = nil
	}
	if !has.Ranges {
		c.ranged = nil
	}
	if !has.Pages {
		c.paged = nil
	}
	if !has.Moves {
		c.moving = nil
	}
	if !has.Shares {
		c.sharing = nil
	}
	if !has.Samples {
		c.sampled = nil
	}
	if !has.Classes {
		c.classed = nil
	}
	if !has.Hoards {
		c.hoards = nil
	}
}

// noneEmpty reports whether the core knows that each chunk has a live block. It costs less than a look at each chunk.
func (c *cores) noneEmpty() bool { return c.empties != nil && !c.empties.AnyEmpty() }
