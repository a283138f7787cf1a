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
		list = append(list, explore.Case{Subject: "Bitmap", Name: name,
			Program: explore.Program{Setup: setup, Threads: threads, Finish: func() { found(left) }}})
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

// A goroutine that gets a chunk by its slot finds the chunk by its addresses, and one that was there before stays to be found.
func chunkMapCases() (list []explore.Case) {
	for _, far := range []bool{false, true} {
		shift, subject := uint64(12), "ChunkMap"
		if far {
			shift, subject = 40, "ChunkMapFar"
		}
		var c *ChunkMap[chunkAt]
		at := func(slot uint32) *chunkAt { return &chunkAt{0x1000 + uint64(slot)<<shift, 0x1000} }
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
			list = append(list, explore.Case{Subject: subject, Name: name, Program: explore.Program{Setup: setup, Threads: threads, Finish: finish}})
		}
		both := func(f ...func()) func() {
			return func() {
				for _, f := range f {
					f()
				}
			}
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
