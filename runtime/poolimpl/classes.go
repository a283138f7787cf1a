package poolimpl

import (
	"cmp"
	"slices"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// ClassCore is a core that serves some requests with blocks of a few sizes, the size classes.
type ClassCore interface {
	Core
	// Classes adds what each class holds. It may visit every block, and changes nothing. What blocks of no class hold is left out.
	Classes(*Classes)
}

// Classes are figures by size class. The zero value has none. It is not safe for concurrent use.
type Classes struct{ list []poolrt.ClassStats } // by Size

// Add adds figures to those of the class with the same size. Cost: a binary search.
func (c *Classes) Add(s poolrt.ClassStats) {
	at, found := slices.BinarySearchFunc(c.list, s.Size, func(in poolrt.ClassStats, size int64) int { return cmp.Compare(in.Size, size) })
	if !found {
		c.list = slices.Insert(c.list, at, poolrt.ClassStats{Size: s.Size})
	}
	in := &c.list[at]
	in.Live += s.Live
	in.Pending += s.Pending
	in.Free += s.Free
	in.Reserved += s.Reserved
}

// Classes returns what each size class holds, by size, and after these the rest; nil if the pool holds nothing or has no classes. Cost: a pass over the slabs,
// with ordering stream and in pools that cache classes over the blocks.
func (e *Engine) Classes() []poolrt.ClassStats {
	if Debug {
		e.observed.debug.flushQuarantine(e)
		defer e.observed.debug.endBypass()
	}
	e.lock()
	defer e.unlock()
	return e.core.classes(e.stats())
}

// classes returns the figures of the classes and, in the last element, the part of s that belongs to no class.
func (c *cores) classes(s poolrt.Stats) []poolrt.ClassStats {
	if c.classed == nil || s.Reserved == 0 {
		return nil
	}
	var all Classes
	c.classed.Classes(&all)
	rest := poolrt.ClassStats{Live: s.Live, Pending: s.Pending, Reserved: s.Reserved}
	for _, in := range all.list {
		rest.Live -= in.Live
		rest.Pending -= in.Pending
		rest.Reserved -= in.Reserved
	}
	// Other goroutines may use a shared core while it counts.
	rest.Live, rest.Pending, rest.Reserved = max(rest.Live, 0), max(rest.Pending, 0), max(rest.Reserved, 0)
	held := slices.DeleteFunc(all.list, func(in poolrt.ClassStats) bool { return in == poolrt.ClassStats{Size: in.Size} })
	return append(held, rest)
}
