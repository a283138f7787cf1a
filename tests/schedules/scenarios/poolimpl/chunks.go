//go:build explored

package poolimpl

import (
	"github.com/poolgen/poolgen/tests/schedules/explore"
)

// A bit that was set before is found, whatever others set and clear beside it.
func bitmapCases() (list []explore.Case) {
	var m *Bitmap
	const bits = 130 // words of two kinds: full ones, and a last one with two bits
	set := func(i ...uint32) func() {
		return func() {
			for _, i := range i {
				m.Set(i)
			}
		}
	}
	clear := func(i uint32) func() { return func() { m.Clear(i) } }
	found := func(i uint32) {
		if at, ok := m.Next(0, bits); !ok || at != i {
			explore.Failf("bit %d is not found: %d, %t", i, at, ok)
		}
	}
	add := func(name string, before []uint32, left uint32, threads ...func()) {
		setup := func() {
			m = NewBitmap(bits)
			set(before...)()
			explore.Identify(m)
		}
		list = append(list, newCase("Bitmap", name, setup, func() { found(left) }, threads...))
	}
	add("set and clear", []uint32{64}, 65, clear(64), set(65))
	add("two words", []uint32{3}, 65, clear(3), set(65))
	add("set twice", nil, 65, set(65), func() { m.Set(65); found(65) })
	add("set and two clears", []uint32{64, 65}, 66, clear(64), clear(65), set(66))
	add("set, clear and set again", []uint32{64}, 65, clear(64), func() { m.Set(65); m.Clear(65); m.Set(65) }, func() { m.Next(0, bits) })
	add("a search beside changes", []uint32{3, 129}, 129, clear(3), func() { m.Set(70); m.Clear(70) }, func() {
		if at, ok := m.Next(0, bits); !ok || at != 3 && at != 70 && at != 129 {
			explore.Failf("no bit is found although one is set: %d, %t", at, ok)
		}
	})
	return list
}

// chunkAt is a chunk of a ChunkMap.
type chunkAt struct{ base, size uint64 }

// placed returns the address of the chunk in a slot. Far chunks are found by binary search: two lie close
// together, and the next two a long way off.
func placed(slot uint32, far bool) uint64 {
	if far {
		return 0x1000 + uint64(slot%2)<<12 + uint64(slot/2)<<40
	}
	return 0x1000 + uint64(slot)<<12
}

// A goroutine that gets a chunk by its slot finds the chunk by its addresses, and one that was there before
// stays to be found.
func chunkMapCases() (list []explore.Case) {
	for _, far := range []bool{false, true} {
		subject := "ChunkMap"
		if far {
			subject = "ChunkMapFar"
		}
		var c *ChunkMap[chunkAt]
		at := func(slot uint32) *chunkAt { return &chunkAt{placed(slot, far), 0x1000} }
		plus := func(slots ...uint32) func() {
			return func() {
				for _, s := range slots {
					p := at(s)
					c.Add(s, p.base, p.size, p)
				}
			}
		}
		minus := func(slots ...uint32) func() {
			return func() {
				for _, s := range slots {
					c.Remove(s)
				}
			}
		}
		find := func(slot uint32, there bool) func() {
			return func() {
				p := at(slot)
				if c.At(slot) == nil && !there {
					return
				}
				if q := c.Find(p.base + p.size - 1); q == nil || q.base != p.base {
					explore.Failf("chunk %d is there, and not found by its addresses: %v", slot, q)
				}
			}
		}
		add := func(before []uint32, after map[uint32]bool, name string, threads ...func()) {
			setup := func() {
				c = new(ChunkMap[chunkAt])
				plus(before...)()
				explore.Identify(c)
			}
			finish := func() {
				for slot, there := range after {
					if (c.At(slot) != nil) != there {
						explore.Failf("chunk %d is there: %t", slot, !there)
					}
					if there {
						find(slot, true)()
					}
				}
			}
			list = append(list, newCase(subject, name, setup, finish, threads...))
		}
		yes := func(slots ...uint32) map[uint32]bool {
			m := map[uint32]bool{}
			for _, s := range slots {
				m[s] = true
			}
			return m
		}
		add(nil, yes(0), "the first comes", plus(0), find(0, false))
		add([]uint32{0}, yes(0, 1), "a second comes", plus(1), find(0, true), find(1, false))
		add([]uint32{0, 1}, yes(0, 1, 2), "a third comes", plus(2), find(1, true), find(2, false))
		add([]uint32{0, 2}, yes(0, 1, 2, 3), "two come", plus(1, 3), find(2, true), find(1, false))
		add([]uint32{0, 1}, yes(0, 1, 9), "slots become more", plus(9), find(1, true), find(9, false))
		add([]uint32{0, 1}, map[uint32]bool{0: false, 1: true}, "one of two goes", minus(0), find(1, true))
		add([]uint32{0, 1, 2}, map[uint32]bool{0: false, 1: true, 2: false, 3: true}, "two go and one comes", both(minus(0, 2), plus(3)), find(1, true), find(3, false))
		add([]uint32{0}, yes(0), "the only one comes back", both(minus(0), plus(0)), func() { c.Find(0x1000) })
		add([]uint32{0, 1}, map[uint32]bool{0: false, 1: true, 2: true}, "one goes and one comes", both(minus(0), plus(2)), find(1, true), find(2, false))
	}
	return list
}

// A goroutine finds the chunk that an address lies in, whatever chunks come and go beside it. Chunks lie
// close together, so that they are in parts, or far apart.
func directoryCases() (list []explore.Case) {
	for _, far := range []bool{false, true} {
		subject := "Directory"
		if far {
			subject = "DirectoryFar"
		}
		var d *Directory
		base := func(slot uint32) uint64 { return placed(slot, far) }
		plus := func(slots ...uint32) func() {
			return func() {
				for _, s := range slots {
					d.Add(s, base(s), 0x1000)
				}
			}
		}
		minus := func(slots ...uint32) func() {
			return func() {
				for _, s := range slots {
					d.Remove(s)
				}
			}
		}
		find := func(slots ...uint32) func() {
			return func() {
				for _, s := range slots {
					for _, addr := range []uint64{base(s), base(s) + 0xfff} {
						at := d.Slot(addr)
						if at == NoSlot {
							at = d.Search(addr)
						}
						if at != s {
							explore.Failf("%#x is in chunk %d, and found in %d", addr, s, at)
						}
					}
				}
			}
		}
		add := func(name string, before, after []uint32, threads ...func()) {
			setup := func() {
				d = new(Directory)
				plus(before...)()
				explore.Identify(d)
			}
			list = append(list, newCase(subject, name, setup, find(after...), threads...))
		}
		s := func(slots ...uint32) []uint32 { return slots }
		add("one comes", s(0), s(0, 1), plus(1), find(0))
		add("one comes between", s(0, 2), s(0, 1, 2), plus(1), find(0, 2))
		add("two come", s(1), s(1, 2, 3), plus(2, 3), find(1), find(1))
		add("one comes below", s(3), s(0, 3), plus(0), find(3))
		add("one comes far above", s(0, 1), s(0, 1, 200), plus(200), find(0, 1))
		add("one goes", s(0, 1), s(1), minus(0), find(1))
		add("one goes and comes back", s(0, 1), s(0, 1), both(minus(0), plus(0)), find(1))
		add("one goes and another comes", s(0, 1), s(1, 2), both(minus(0), plus(2)), find(1))
		add("the ones beside it go and come", s(0, 1, 2), s(0, 1, 2), both(minus(0, 2), plus(2, 0)), find(1), find(1))
		if !far {
			setup := func() { // chunk 1 lies where chunk 2 began, in a part in which another one comes behind it
				d = new(Directory)
				plus(0, 1, 2)()
				minus(1, 2)()
				d.Add(1, base(1), 0x1800)
				explore.Identify(d)
			}
			end := func() {
				if at := d.Slot(base(2) + 0x7ff); at != 1 {
					explore.Failf("the end of chunk 1 is found in %d", at)
				}
			}
			list = append(list, newCase(subject, "one comes behind one that is longer than its part", setup, end,
				func() { d.Add(2, base(2)+0x800, 0x800) }, end))
		}
		add("one goes, and a longer one comes", s(0, 1, 3), s(0, 3), both(minus(1), func() { d.Add(1, base(1), 0x1800) }), find(0, 3))
	}
	return list
}
