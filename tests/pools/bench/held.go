package main

import "github.com/poolgen/poolgen/tests/pools/bench/pools"

// holding is a pool of which some blocks stay live, so that some of them are sampled: a free then looks whether its block is one of these.
type holding struct {
	alloc func() error
	loop  func(n int) // allocates and frees one block
}

// blocksHeld is how many blocks of 64 bytes stay live: 32 MB, of which about 61 blocks are sampled.
const blocksHeld = 500_000

// start allocates the blocks that stay live.
func (h holding) start() func(n int) {
	for range blocksHeld {
		check(h.alloc())
	}
	return h.loop
}

// item allocates one item that stays live.
func item[B any](p interface{ Alloc() (*B, error) }) func() error {
	return func() error {
		_, err := p.Alloc()
		return err
	}
}

// span allocates one block of 64 bytes that stays live.
func span(p interface{ Alloc(n int) ([]byte, error) }) func() error {
	return func() error {
		_, err := p.Alloc(64)
		return err
	}
}

// held is a pool without the key profile, and the pool that differs in this key alone.
type held struct {
	name        string
	locked      bool
	plain, with holding
}

// heldPairs returns such pools, with the loops written out: through an interface a call would cost more than the method.
func heldPairs() []held {
	grow, growProfile := new(pools.GrowPool), new(pools.GrowProfilePool)
	locked, lockedProfile := new(pools.LockedPool), new(pools.LockedProfilePool)
	fixedSharded, fixedShardedProfile := new(pools.FixedShardedPool), new(pools.FixedShardedProfilePool)
	fixedMagazine, fixedMagazineProfile := new(pools.FixedMagazinePool), new(pools.FixedMagazineProfilePool)
	small, smallProfile := new(pools.SmallPool), new(pools.SmallProfilePool)
	heapMutex8, heapMutex8Profile := new(pools.HeapMutex8Pool), new(pools.HeapMutex8ProfilePool)
	heapSharded8, heapSharded8Profile := new(pools.HeapSharded8Pool), new(pools.HeapSharded8ProfilePool)
	heapTrims8, heapTrims8Profile := new(pools.HeapTrims8Pool), new(pools.HeapTrims8ProfilePool)
	return []held{
		{"fixed, none", false, holding{item(grow), func(n int) {
			for range n {
				b, _ := grow.Alloc()
				_ = grow.Free(b)
			}
		}}, holding{item(growProfile), func(n int) {
			for range n {
				b, _ := growProfile.Alloc()
				_ = growProfile.Free(b)
			}
		}}},
		{"fixed, mutex", true, holding{item(locked), func(n int) {
			for range n {
				b, _ := locked.Alloc()
				_ = locked.Free(b)
			}
		}}, holding{item(lockedProfile), func(n int) {
			for range n {
				b, _ := lockedProfile.Alloc()
				_ = lockedProfile.Free(b)
			}
		}}},
		{"fixed, sharded", false, holding{item(fixedSharded), func(n int) {
			for range n {
				b, _ := fixedSharded.Alloc()
				_ = fixedSharded.Free(b)
			}
		}}, holding{item(fixedShardedProfile), func(n int) {
			for range n {
				b, _ := fixedShardedProfile.Alloc()
				_ = fixedShardedProfile.Free(b)
			}
		}}},
		{"fixed, magazine", false, holding{item(fixedMagazine), func(n int) {
			for range n {
				b, _ := fixedMagazine.Alloc()
				_ = fixedMagazine.Free(b)
			}
		}}, holding{item(fixedMagazineProfile), func(n int) {
			for range n {
				b, _ := fixedMagazineProfile.Alloc()
				_ = fixedMagazineProfile.Free(b)
			}
		}}},
		{"heap, none", false, holding{span(small), func(n int) {
			for range n {
				b, _ := small.Alloc(64)
				_ = small.Free(b)
			}
		}}, holding{span(smallProfile), func(n int) {
			for range n {
				b, _ := smallProfile.Alloc(64)
				_ = smallProfile.Free(b)
			}
		}}},
		{"heap, mutex", true, holding{span(heapMutex8), func(n int) {
			for range n {
				b, _ := heapMutex8.Alloc(64)
				_ = heapMutex8.Free(b)
			}
		}}, holding{span(heapMutex8Profile), func(n int) {
			for range n {
				b, _ := heapMutex8Profile.Alloc(64)
				_ = heapMutex8Profile.Free(b)
			}
		}}},
		{"heap, sharded", false, holding{span(heapSharded8), func(n int) {
			for range n {
				b, _ := heapSharded8.Alloc(64)
				_ = heapSharded8.Free(b)
			}
		}}, holding{span(heapSharded8Profile), func(n int) {
			for range n {
				b, _ := heapSharded8Profile.Alloc(64)
				_ = heapSharded8Profile.Free(b)
			}
		}}},
		{"heap, sharded, trim", true, holding{span(heapTrims8), func(n int) {
			for range n {
				b, _ := heapTrims8.Alloc(64)
				_ = heapTrims8.Free(b)
			}
		}}, holding{span(heapTrims8Profile), func(n int) {
			for range n {
				b, _ := heapTrims8Profile.Alloc(64)
				_ = heapTrims8Profile.Free(b)
			}
		}}},
	}
}

// heldReferences are the pairs of pools without the key.
func heldReferences() (list []benchmark) {
	for _, p := range heldPairs() {
		list = append(list, benchmark{"R_held: " + p.name, p.plain.start, nil, "pair without a profile, 500,000 live"})
	}
	return list
}

// heldCases are the pairs of pools with the key: at most a nanosecond more or, where there is a lock, 2 %.
func heldCases() (list []benchmark) {
	for _, p := range heldPairs() {
		most := target{{1, "R_held: " + p.name}, {1, "ns"}}
		if p.locked {
			most = times(1.02, "R_held: "+p.name)
		}
		list = append(list, benchmark{p.name + ": pair with a profile", p.with.start, most, ""})
	}
	return list
}
