package gates

import (
	"maps"
	"slices"
	"strings"
)

// promise is the promise of a pool's fast path. Names of methods are without their types: Alloc is a method of the pool, core.AllocFast one
// of its suballocator, and any other has its type without the suballocator's name.
type promise struct {
	dir    string
	pool   string // "Vertex"
	prefix string // "vertex"
	core   string // type of the suballocator: "vertexCore"; "": found in the output
	// inline lists methods whose calls must be inlined.
	inline []string
	// into lists calls that must be inlined: "Alloc: core.AllocFast".
	into []string
	// clean lists methods without a bounds check and without anything that escapes.
	clean []string
	// checks bounds the number of bounds checks of other methods that are on the way. It is measured: fewer are welcome.
	checks map[string]int
}

// Promises of pools, by their suballocator.
var (
	fixedPath = promise{
		inline: []string{"TryAlloc", "core.AllocFast"},
		into:   []string{"Alloc: core.AllocFast", "take: core.AllocFast", "Alloc: Base", "Free: core.FreeFast"},
		clean:  []string{"Alloc", "Free", "TryAlloc", "take", "core.AllocFast", "core.FreeFast", "List.Pop", "List.Push", "takeBatch", "giveBatch"},
		// The rest of the requested blocks, once per chunk, and as many blocks of a batch as may be freed, once.
		checks: map[string]int{"takeListed": 1, "giveBatch": 1},
	}
	// fixedCold is that of the package which pools with fixedPath import.
	fixedCold = promise{
		core:  "Core",
		into:  []string{"core.Alloc: core.chunkOf", "core.Free: poolimpl.Numbers.Of", "core.Free: core.push", "core.sortOut: core.chunkOf"},
		clean: []string{"core.Alloc", "core.Free", "core.Defer", "core.sortOut"},
		// A chunk is a number read from memory, and so is the first block of a list.
		checks: map[string]int{"core.Alloc": 2, "core.Free": 4, "core.sortOut": 2},
	}
	// strictPath is that of sharded pools of single blocks. In a free, the word of a block, that of its magazine and its flag are numbers read from memory.
	strictPath = promise{
		inline: []string{"core.Next", "core.Join"},
		into:   []string{"Alloc: Base", "takeRuns: core.Next", "giveRuns: core.Join"},
		clean:  []string{"Alloc", "Free", "takeRuns", "giveRuns", "core.AllocFast", "core.Free"},
		checks: map[string]int{"takeRuns": 1, "giveRuns": 1, "core.Free": 3},
	}
	// strictCold is that of the package which they import.
	strictCold = promise{
		core:   "Core",
		into:   []string{"core.locate: poolimpl.Numbers.Of"},
		clean:  []string{"core.alloc", "core.FreeRun", "core.fill", "core.AfterFree"},
		checks: map[string]int{"core.alloc": 2, "core.FreeRun": 2, "core.fill": 1, "core.AfterFree": 2},
	}
	bumpPath = promise{
		inline: []string{"TryAlloc"},
		into:   []string{"Alloc: Base", "take: Base"},
		clean:  []string{"Alloc", "TryAlloc", "take"},
	}
	// bumpCold is that of the package which pools with bumpPath import.
	bumpCold = promise{core: "Core", inline: []string{"core.AllocFast"}, clean: []string{"core.AllocFast", "core.Alloc"}}
	// stripsCold is that of the package which sharded pools import that free all at once.
	stripsCold = promise{core: "Core", into: []string{"core.AllocFast: core.strip"}, clean: []string{"core.AllocFast", "strip.alloc"}, checks: map[string]int{"core.AllocFast": 1}}
	// ringCold is that of the package which rings import. Their pools promise as much as heaps.
	ringCold = promise{
		core:   "Core",
		inline: []string{"core.AllocFast", "core.FreeFast"},
		// A free in another arena looks up the chunk, and one out of order the index: both are numbers read from memory.
		checks: map[string]int{"core.Alloc": 0, "core.FreeFast": 0, "core.Free": 1, "arena.isOldest": 0, "arena.pop": 0, "arena.search": 4},
	}
	heapPath = promise{
		inline: []string{"TryAlloc"},
		into:   []string{"Alloc: Base", "take: Base"},
		clean:  []string{"Alloc", "Free", "TryAlloc", "take"},
	}
	// heapCold is that of the package which pools with heapPath import.
	heapCold = promise{
		core:  "Core",
		clean: []string{"core.Alloc", "core.Free"},
		// Buckets, and the chunk of a block, are numbers read from memory, about which the compiler can prove nothing.
		checks: map[string]int{"core.Free": 1, "Space.Alloc": 0, "Space.Free": 0, "Space.Find": 0, "Space.insertIndex": 1},
	}
	// binnedCold and classesCold are those of the packages that stand in front of it.
	binnedCold  = promise{core: "Core", clean: []string{"core.Alloc", "core.Free", "core.take"}, checks: map[string]int{"core.AllocFast": 2, "core.Alloc": 2, "core.take": 0, "core.Free": 4}}
	classesCold = promise{core: "Core", clean: []string{"core.Alloc", "core.Free"}, checks: map[string]int{"core.Alloc": 3, "core.Free": 3}}
	// directCold is that of the package which pools without a suballocator import.
	directCold = promise{core: "Core", checks: map[string]int{"core.Alloc": 5, "core.Free": 4}}
	// slabsCold is that of the package which sharded pools import. Of AllocFast, the last two are on its way to the slow path.
	slabsCold = promise{core: "Core", clean: []string{"core.AllocFast", "core.Free"}, checks: map[string]int{"core.AllocFast": 3, "core.Free": 0, "core.DeferRounded": 0, "core.Reuse": 0}}
)

// zeroing returns the promise of a pool that zeroes each block: a batch iterates over its blocks once more.
func (p promise) zeroing() promise {
	return p.iterating()
}

// sampling returns the promise of a pool that samples blocks: an allocation counts, and a batch is cut where a sample is due.
func (p promise) sampling() promise {
	p = p.plus("Alloc: Spend")
	p.inline = slices.DeleteFunc(slices.Clone(p.inline), func(name string) bool { return name == "TryAlloc" })
	if slices.Contains(p.clean, "takeBatch") {
		p = p.iterating()
	}
	return p
}

// iterating returns the promise of a pool that looks at the blocks of a batch once more.
func (p promise) iterating() promise {
	p.checks = maps.Clone(p.checks)
	p.checks["takeBatch"] = 1
	return p
}

// profiling returns the promise of a pool that samples blocks for a profile: a free also looks whether its block is sampled.
func (p promise) profiling() promise { return p.sampling().plus("Free: Sampled") }

// of returns the promise of one pool.
func (p promise) of(dir, pool string) promise {
	p.dir, p.pool, p.prefix = dir, pool, strings.ToLower(pool[:1])+pool[1:]
	return p
}

// locked adds the promises of a pool with a lock. TryAlloc is inlined nevertheless, into a call.
func (p promise) locked() promise {
	p.into = append(p.into[:len(p.into):len(p.into)], "Alloc: TryLock", "Alloc: Unlock")
	if slices.Contains(p.clean, "Free") {
		p.into = append(p.into, "Free: TryLock", "Free: Unlock", "Free: HasWaiters")
	}
	return p
}

// numbers replaces the promises about memory with those about numbers.
func (p promise) numbers() promise {
	return p.without("Alloc: Base").without("take: Base").plus("Alloc: Addr")
}

// without removes one inlined call.
func (p promise) without(call string) promise {
	var into []string
	for _, c := range p.into {
		if c != call {
			into = append(into, c)
		}
	}
	p.into = into
	return p
}

func (p promise) plus(call string) promise {
	p.into = append(p.into[:len(p.into):len(p.into)], call)
	return p
}

// generatedPaths are the pools of poolFile.
var generatedPaths = []promise{
	fixedPath.of("pools", "One"),
	fixedPath.of("pools", "Many"),
	fixedPath.of("pools", "Zeroed").zeroing(),
	fixedPath.of("pools", "Uncounted"),
	fixedPath.of("pools", "Trimmed"),
	fixedPath.of("pools", "Number").numbers(),
	heapPath.of("pools", "Heap"),
	heapPath.of("pools", "First"),
	heapPath.of("pools", "Best"),
	heapPath.of("pools", "Binned"),
	heapPath.of("pools", "Classes"),
	heapPath.of("pools", "Ring"),
	bumpPath.of("pools", "Bump"),
	heapPath.of("pools", "Direct"),
	fixedPath.of("pools", "LockedOne").locked(),
	fixedPath.of("pools", "LockedMany").locked(),
	heapPath.of("pools", "LockedHeap").locked(),
	fixedPath.of("pools", "Guarded").sampling(),
	fixedPath.of("pools", "LockedGuarded").locked().sampling(),
	heapPath.of("pools", "GuardedHeap").sampling(),
	fixedPath.of("pools", "Profiled").profiling(),
	fixedPath.of("pools", "LockedProfiled").locked().profiling(),
	heapPath.of("pools", "ProfiledHeap").profiling(),
	heapPath.of("pools", "LockedRing").locked(),
	bumpPath.of("pools", "LockedBump").locked(),
	heapPath.of("pools", "LockedBinned").locked(),
	strictPath.of("pools", "Shared"),
	strictPath.of("pools", "Kept"),
}

// examplePaths are pools of the committed examples.
var examplePaths = []promise{
	fixedPath.of("quickstart", "Vertex").locked(),
	fixedPath.of("scene", "Vertex").locked(),
	fixedPath.of("scene", "Matrix").locked().zeroing(),
	heapPath.of("scene", "Index").locked(),
	bumpPath.of("frame", "Scratch"),
	heapPath.of("staging", "Staging").locked(),
	fixedPath.of("tracked", "Slot").locked().numbers(),
	heapPath.of("tracked", "Page").locked().numbers(),
	heapPath.of("caching", "Tensor").locked(),
}
