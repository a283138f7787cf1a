package spec

import "slices"

// Groups of allocators and suballocators to which several keys apply.
var (
	driverAllocators = []Allocator{Pinned, Managed, DeviceMemory, DeviceAsync, DevicePool, DeviceVirtual, TextureTile}
	deviceAllocators = []Allocator{DeviceMemory, DeviceAsync, DevicePool, DeviceVirtual}
	chunkAllocators  = []Allocator{Host, Pinned, Managed, DeviceMemory, DeviceAsync, DevicePool, DeviceVirtual, TextureTile, Custom}
	byteAllocators   = []Allocator{Host, Pinned, Managed, DeviceMemory, DeviceAsync, DevicePool, DeviceVirtual, Custom}
	hostAllocators   = []Allocator{Host, Pinned, Managed, Custom}
	numberAllocators = append(slices.Clip(byteAllocators), NoAllocator) // an address is a number: tiles have none

	chunkCutters = suballocatorsWith(func(s *SuballocatorInfo) bool { return !s.Direct })
	oneSized     = suballocatorsWith(func(s *SuballocatorInfo) bool { return s.OneSize })
	freeCutters  = suballocatorsWith(func(s *SuballocatorInfo) bool { return s.Order != AllAtOnce })
	resetCutters = suballocatorsWith(func(s *SuballocatorInfo) bool { return s.Order == AllAtOnce })
	viewCutters  = suballocatorsWith(func(s *SuballocatorInfo) bool { return !s.OneSize })
	anyAligned   = suballocatorsWith(func(s *SuballocatorInfo) bool { return !s.Heap && !s.OneSize && !s.Direct })
	plainHeaps   = suballocatorsWith(func(s *SuballocatorInfo) bool { return s.Heap && s.Bins == nil })
	binCutters   = suballocatorsWith(func(s *SuballocatorInfo) bool { return s.Bins != nil })
	cachers      = suballocatorsWith(func(s *SuballocatorInfo) bool { return s.Cache })
	spanCutters  = suballocatorsWith(func(s *SuballocatorInfo) bool { return !s.OneSize && s.Order != AllAtOnce })
	guardCutters = suballocatorsWith(func(s *SuballocatorInfo) bool { return s.Order == AnyOrder && !s.Direct })
	arenaCutters = suballocatorsWith(func(s *SuballocatorInfo) bool { return s.Arenas })
)

// maxPriority is the highest priority, and usualPriority that of a pool which sets none.
const (
	maxPriority   = 100
	usualPriority = 50
)

// poolKeys are the keys of a pool. All except name are also keys of defaults. The order is that of
// resolution: a condition depends only on earlier keys.
var poolKeys = []Key{
	{Section: PoolSection, Name: "name", Kind: NameKind, Example: "Vertex",
		Doc: "A Go identifier, part of every generated name: VertexPool, AllocVertex, FreeVertex. Nothing of a pool node is exported: nodePool, allocNode, freeNode. Required."},
	{Section: PoolSection, Name: "doc", Kind: TextKind, Example: "Vertices of the visible meshes.",
		Doc: "What the pool is for. This text becomes part of the documentation of the type FooPool."},
	{Section: PoolSection, Name: "allocator", Kind: MixedKind, Default: "host", Example: "pinned",
		Values: names(Host, Pinned, Managed, DeviceMemory, DeviceAsync, DevicePool, DeviceVirtual, TextureTile, NoAllocator, Custom),
		Doc:    "Where chunks come from. none hands out numbers; custom calls two functions of the output package, alloc and free. A list has those that a program may choose from, the default first."},
	{Section: PoolSection, Name: "item", Kind: TypeKind, Default: "bytes", Example: "mesh.Vertex", Allocators: byteAllocators,
		Doc: "Type of the elements: a Go type without pointers, or an array of one; or bytes, as without the key. Types of other packages need an entry in imports."},
	{Section: PoolSection, Name: "suballocator", Kind: ChoiceKind, Default: "fixed with an item, else heap", Example: "fixed",
		Values: names(Suballocators()...),
		Doc:    "How chunks are divided into blocks. fixed hands out single items, all others any number of them."},
	{Section: PoolSection, Name: "block_size", Kind: SizeKind, Min: 1, Max: maxBlock, Default: "the size of the item", Example: "4KiB",
		Allocators: chunkAllocators, Suballocators: oneSized,
		Doc: "Distance from one block to the next. Without an item, suballocator: fixed requires it, and hands out blocks of that many bytes. For texture_tile the default is one tile."},
	{Section: PoolSection, Name: "concurrency", Kind: ChoiceKind, Default: "mutex", Example: "sharded",
		Values: names(Unlocked, Mutex, Sharded),
		Doc:    "none: one goroutine at a time, and handing the pool over is up to you. mutex: one lock. sharded: scales with cores."},
	{Section: PoolSection, Name: "ordering", Kind: ChoiceKind, Default: "stream on a device, else sync", Example: "stream",
		Values: names(Sync, Stream, Deferred, ByDriver), Suballocators: freeCutters,
		Doc: "Whether frees may come before the work on the block is done: never, in the order of a stream, or at any later time. With driver, the driver orders each block by itself. host, custom and none take sync only."},
	{Section: PoolSection, Name: "chunk_size", Kind: SizeKind, Min: 1, Max: maxBlock, Default: "the smaller of 8MiB and limit, at least one block", Example: "2MiB",
		Allocators: chunkAllocators,
		Doc:        "Bytes requested from the allocator at a time, rounded up to its granularity."},
	{Section: PoolSection, Name: "limit", Kind: SizeKind, Min: 1, None: true, Default: "none", Example: "1GiB",
		Doc: "Hard limit on the bytes reserved, exact under concurrency. For allocator none, how many numbers may be tracked."},
	{Section: PoolSection, Name: "max_limit", Kind: SizeKind, Min: 1, None: true, Default: "limit", Example: "4GiB",
		Doc: "The largest limit that WithLimit and SetLimit may set in a running program: at least limit. none: any."},
	{Section: PoolSection, Name: "budget", Kind: NameKind, None: true, Default: "none", Example: "Scene", Allocators: chunkAllocators,
		Doc: "A limit shared with other pools. The pool's own limit holds as well."},
	{Section: PoolSection, Name: "guarantee", Kind: SizeKind, Default: "0", Example: "64MiB", Allocators: chunkAllocators,
		Doc:   "Bytes of the budget that the pool can always have, without taking from anyone: at most limit.",
		needs: []need{{"a pool without budget", "add budget, with the name of one of the budgets", func(p *Pool) bool { return p.Budget != "" }, "budget"}}},
	{Section: PoolSection, Name: "priority", Kind: NumberKind, Max: maxPriority, Default: "50", Example: "80", Allocators: chunkAllocators,
		Doc: "Who gives memory back first when another pool of the budget needs it, and in groups of pools: the lowest."},
	{Section: PoolSection, Name: "reclaim", Kind: ListKind, Default: "[trim]", Example: "[trim, hook]",
		Values: names(ReclaimTrim, ReclaimHook, ReclaimSleep), Allocators: chunkAllocators, Concurrency: []Concurrency{Mutex, Sharded},
		Doc: "What other pools of the budget may have this one do when they need memory: return empty chunks, call the functions of OnReclaim, go to sleep. []: nothing."},
	{Section: PoolSection, Name: "soft_limit", Kind: SizeKind, Min: 1, None: true, Default: "none", Example: "768MiB",
		Doc: "Crossing it is counted and sent to the hook, never refused."},
	{Section: PoolSection, Name: "growth", Kind: ChoiceKind, Default: "fixed", Example: "double",
		Values: names(GrowthFixed, GrowthDouble), Allocators: chunkAllocators, Suballocators: chunkCutters,
		Doc: "Size of the next chunk: that of the last, or twice that."},
	{Section: PoolSection, Name: "prime", Kind: SizeKind, Default: "0", Example: "64MiB",
		Allocators: chunkAllocators, Suballocators: chunkCutters,
		Doc: "Bytes reserved when the pool is created."},
	{Section: PoolSection, Name: "alignment", Kind: SizeKind, Max: maxBlock, Default: "256 on a device, else the item's", Example: "64",
		Allocators: byteAllocators,
		Doc:        "Alignment of every block: a power of two."},
	{Section: PoolSection, Name: "fit", Kind: ChoiceKind, Default: "good", Example: "best",
		Values: names(FitFirst, FitBest, FitGood), Suballocators: plainHeaps,
		Doc: "Which free range serves a request: the first, the smallest, or one found in constant time that is not much larger."},
	{Section: PoolSection, Name: "min_split", Kind: SizeKind, Min: 1, Max: maxGranule, Default: "the smallest block", Example: "256B",
		Suballocators: plainHeaps,
		Doc:           "A remainder smaller than this is not split off, but stays part of the block."},
	{Section: PoolSection, Name: "bins", Kind: MixedKind, Default: "binned: powers of two, 16B to 4KiB; classes: powers of two, 512B to 2GiB", Example: "{min: 16B, max: 4KiB, growth: pow2}",
		Suballocators: binCutters,
		Doc:           "Sizes of the bins, ascending: a list of sizes, or {min, max} with growth or per_doubling."},
	{Section: PoolSection, Name: "cache", Kind: BlockKind, Default: "unlimited", Example: "{per_bin: 64, bytes: 64MiB}",
		Suballocators: cachers,
		Doc:           "How much freed memory stays cached for its size class."},
	{Section: PoolSection, Name: "arena_size", Kind: SizeKind, Min: 1, Max: maxBlock, Default: "chunk_size", Example: "1MiB",
		Allocators: chunkAllocators, Suballocators: arenaCutters,
		Doc: "Chunks are divided into rings of this size, which reuse the space of their oldest blocks. It is also the largest request."},
	{Section: PoolSection, Name: "on_exhausted", Kind: ListKind, Default: "[poll, trim, drain, error] with streams, else [trim, error]; without poll and trim where they cannot help", Example: "[poll, trim, wait, error]",
		Values: []string{"poll", "trim", "drain", "wait", "driver", "pool:Name", "error"},
		Doc:    "What to try, in this order, before an allocation fails: reclaim finished frees, return empty chunks, wait for streams or a free, take the block from the driver, borrow from another pool of the file."},
	{Section: PoolSection, Name: "wait_timeout", Kind: DurationKind, Default: "1s", Example: "250ms",
		Doc: "How long each of the rungs drain and wait of on_exhausted waits at most.",
		needs: []need{
			{"concurrency none without streams", "use concurrency: mutex, so that another goroutine can free", canWait, ""},
			{"on_exhausted without drain and wait", "add wait to on_exhausted", waits, "on_exhausted"},
		}},
	{Section: PoolSection, Name: "device", Kind: MixedKind, Default: "current", Example: "0", Max: 1023,
		Values: names(CurrentDevice, EachDevice), Allocators: driverAllocators,
		Doc: "The device that the pool is on: current, a number, or each, for one pool per device."},
	{Section: PoolSection, Name: "peers", Kind: MixedKind, Values: []string{WherePossible}, Example: "[1, 2]", Max: 1023, Allocators: deviceAllocators,
		Doc: "Numbers of the devices that are granted access, or where_possible, for all devices that can have it."},
	{Section: PoolSection, Name: "driver_pool", Kind: BlockKind, Default: "a pool of its own for device_pool, the current pool for device_async", Example: "{source: custom, release_threshold: 64MiB}",
		Allocators: []Allocator{DeviceAsync, DevicePool},
		Doc:        "The driver's memory pool that chunks come from."},
	{Section: PoolSection, Name: "pinned_flags", Kind: MixedKind, Default: "[portable]", Example: "[portable, mapped]",
		Values: []string{"portable", "mapped", "write_combined"}, Allocators: []Allocator{Pinned},
		Doc: "How memory is pinned: one flag or a list of them. Reading write_combined memory from the CPU is very slow."},
	{Section: PoolSection, Name: "shareable", Kind: BoolKind, Default: "false", Example: "true",
		Allocators: []Allocator{DevicePool, DeviceVirtual},
		Doc:        "Export to and import from other processes by file descriptor."},
	{Section: PoolSection, Name: "registered", Kind: BoolKind, Default: "false", Example: "true",
		Allocators: []Allocator{DeviceMemory, DeviceVirtual}, Suballocators: chunkCutters,
		Doc: "Chunks can be known to libraries that move their bytes, such as NCCL: Attach of package nccl registers each as it comes. A pool of device_virtual grows by chunks then, not by pages.",
		needs: []need{
			{"a pool that is shareable", "leave shareable out: other processes may be using the memory when it goes back", func(p *Pool) bool { return !p.Shareable }, "shareable"},
			{"a pool with capture: private", "leave capture out: memory cannot be registered during a capture", func(p *Pool) bool { return p.Capture != CapturePrivate }, "capture"},
		}},
	{Section: PoolSection, Name: "trim", Kind: BlockKind, None: true, Default: "none, or {when: growth} where pages move: allocator device_virtual, suballocator heap, binned or classes, neither shareable nor registered", Example: "{keep: 64MiB, idle: 30s}",
		Allocators: chunkAllocators, Suballocators: chunkCutters,
		Doc: "When empty chunks are returned to the allocator; it happens on slow paths, frees and Poll."},
	{Section: PoolSection, Name: "sleep", Kind: BlockKind, None: true, Default: "none", Example: "{contents: keep, backing: keep}",
		Allocators: []Allocator{DeviceVirtual}, Suballocators: suballocatorsWith(func(s *SuballocatorInfo) bool { return s.Heap }), Concurrency: []Concurrency{Unlocked, Mutex},
		Doc: "Adds Sleep and Wake, which give the device memory of the pool back for a while. Addresses of blocks stay.",
		needs: []need{
			{"a pool that is shareable", "leave shareable out: other processes may be using the memory", func(p *Pool) bool { return !p.Shareable }, "shareable"},
			{"a pool that is registered", "leave registered out: what a library knows must not be unmapped", func(p *Pool) bool { return !p.Registered }, "registered"},
		}},
	{Section: PoolSection, Name: "capture", Kind: ChoiceKind, Default: "refuse", Example: "private",
		Values: names(CaptureRefuse, CapturePrivate), Allocators: deviceAllocators, Suballocators: freeCutters,
		Doc: "What allocations and frees do on a stream whose work is being captured as a graph: they are refused, or the memory is private to the graph.",
		needs: []need{
			{"a pool whose blocks are not allocated on streams", "use ordering: stream or driver", func(p *Pool) bool { return p.Ordering == Stream || p.Ordering == ByDriver }, "ordering"},
			{"a pool that is shareable", "leave shareable out: other processes cannot open memory of a graph", func(p *Pool) bool { return !p.Shareable }, "shareable"},
		}},
	{Section: PoolSection, Name: "across_streams", Kind: ChoiceKind, Default: "limit, or peak with trim: {when: growth}", Example: "growth",
		Values: names(AcrossLimit, AcrossPeak, AcrossGrowth), Allocators: driverAllocators, Suballocators: chunkCutters,
		Doc:   "When a stream is given memory that another stream freed and has not passed. The driver makes it wait then: when the pool cannot grow, before it would hold more than ever, or before any growth.",
		needs: []need{{"a pool without ordering stream", "use ordering: stream", func(p *Pool) bool { return p.Ordering == Stream }, "ordering"}}},
	{Section: PoolSection, Name: "magazine", Kind: NumberKind, Max: 1 << 16, Default: "0", Example: "32",
		Suballocators: oneSized, Concurrency: []Concurrency{Sharded},
		Doc: "Free blocks that each processor may keep for itself; others get them only when no other block is free. At most 32 are kept, or 16 with streams. With 0, a free block is found wherever it is.",
		needs: []need{{"a pool with trim", "leave one of the two out: a chunk is not empty as long as a processor keeps a block of it for itself",
			func(p *Pool) bool { return p.Trim == nil }, ""}}},
	{Section: PoolSection, Name: "zero", Kind: ChoiceKind, Default: "never", Example: "always",
		Values: names(ZeroNever, ZeroFirst, ZeroAlways), Allocators: byteAllocators,
		Doc: "When blocks are zeroed: never, when they are handed out for the first time, or every time."},
	{Section: PoolSection, Name: "fallback", Kind: ListKind, Default: "none", Example: "[host]",
		Values: names(Host, Pinned, Managed, DeviceMemory, DeviceAsync, DevicePool, DeviceVirtual), Allocators: []Allocator{Pinned, Managed, DeviceMemory, DeviceAsync, DevicePool, DeviceVirtual},
		Doc: "Allocators to try in order if the one before is not supported on the machine. Effective() says which one is in force."},
	{Section: PoolSection, Name: "alloc", Kind: NameKind, Example: "mapPages", Allocators: []Allocator{Custom},
		Doc: "Function of the output package that returns a chunk. Required with allocator custom."},
	{Section: PoolSection, Name: "free", Kind: NameKind, Example: "unmapPages", Allocators: []Allocator{Custom},
		Doc: "Function of the output package that takes a chunk back. Required with allocator custom."},
	{Section: PoolSection, Name: "lookup", Kind: MixedKind, Default: "none", Example: "[address]",
		Values: []string{LookupAddress, LookupIndex, LookupHandle}, Allocators: numberAllocators, Suballocators: freeCutters,
		Doc: "How a program gets from a number back to a block: from its address, from its index, or from a handle that a later block in the same place refuses."},
	{Section: PoolSection, Name: "guard", Kind: BlockKind, None: true, Default: "none", Example: "{one_in: 5000}",
		Allocators: []Allocator{Host}, Suballocators: guardCutters,
		Doc: "Some blocks, chosen at random, get pages of their own between pages that nobody may touch, and nobody may touch theirs once they are freed. So a use after a free, or beyond an end of the block, is a fault where it happens.",
		needs: []need{
			{"a list of allocators", "use allocator: host alone", func(p *Pool) bool { return len(p.Others) == 0 }, "allocator"},
			{"lookup index and handle", "use lookup: address", func(p *Pool) bool { return !p.Finds(LookupIndex) && !p.Finds(LookupHandle) }, "lookup"},
		}},
	{Section: PoolSection, Name: "profile", Kind: BoolKind, Default: "false", Example: "true", Allocators: chunkAllocators,
		Doc: "Sample the pool's memory for go tool pprof in every build, as Go samples its heap: one block in 512KiB allocated."},
	{Section: PoolSection, Name: "package_functions", Kind: BoolKind, Default: "true", Example: "false",
		Doc: "Emit AllocFoo, FreeFoo and so on, which use a default pool of the package."},
	{Section: PoolSection, Name: "adapters", Kind: ListKind, Default: "none", Example: "[pool, writer]",
		Values: []string{AdaptPool, AdaptWriter, AdaptGRPC, AdaptArrow}, Allocators: hostAllocators, Suballocators: spanCutters,
		Doc: "Emit types that give blocks to programs made for other buffers: FooCache in the place of a sync.Pool, FooWriter of a bytes.Buffer, FooBuffers of the buffer pool of gRPC, FooAllocator of an allocator of Arrow.",
		needs: []need{
			{"a pool of items", "leave item out: adapters hand out bytes", handsOutBytes, "item"},
			{"device each", "use device: current, or a number", func(p *Pool) bool { return p.Device.Kind != EachDevice }, "device"},
		}},
	{Section: PoolSection, Name: "exports", Kind: ListKind, Default: "none", Example: "[c]",
		Values: []string{ExportC}, Allocators: byteAllocators, Suballocators: freeCutters, Concurrency: []Concurrency{Mutex, Sharded},
		Doc: "Emit functions for programs in other languages, which load the package as a shared library: foo_alloc, foo_free and others, with a C header. The package must be main.",
		needs: []need{
			{"a pool of device memory without streams", "use ordering: stream", func(p *Pool) bool { return !onDevice(p) || p.AllocsOnStreams() }, "ordering"},
			{"device current with streams", "use device: each, or a number: callers say which device they mean", func(p *Pool) bool { return !p.AllocsOnStreams() || p.Device.Kind != CurrentDevice }, "device"},
			{"device each without streams", "use device: current, or a number", func(p *Pool) bool { return p.AllocsOnStreams() || p.Device.Kind != EachDevice }, "device"},
		}},
	{Section: PoolSection, Name: "stats", Kind: ChoiceKind, Default: "counters", Example: "off", Values: names(StatsOff, StatsCounters),
		Doc: "Counters stay off the fast path or cost nothing there."},
	{Section: PoolSection, Name: "tests", Kind: BoolKind, Default: "false", Example: "true",
		Doc: "Emit a smoke test, a fuzz target and a benchmark with the output."},
	{Section: PoolSection, Name: "c_header", Kind: BoolKind, Default: "false", Example: "true", Allocators: byteAllocators,
		Doc:   "Emit a C header with the layout of the item, statically asserted: foo_pool.h. Generating it loads the Go type.",
		needs: []need{{"a pool without item", "set item", func(p *Pool) bool { return p.Item.Kind != ItemBytes }, "item"}}},
	{Section: PoolSection, Name: "device_view", Kind: ChoiceKind, Default: "false", Example: "fixed", Values: []string{"bump", "fixed", "true", "false"},
		Allocators: deviceAllocators, Suballocators: viewCutters,
		Doc: "What kernels do inside a view, a block that ViewFoo makes, with functions in a C header that has the layout of the item, too."},
}

// canWait reports whether anything can free while a goroutine waits: another goroutine, or a device.
func canWait(p *Pool) bool { return p.Concurrency != Unlocked || p.Streams() }

// waits reports whether the ladder has a rung that waits. The default ladder is not there yet when the keys are read.
func waits(p *Pool) bool {
	return p.HasRung(RungDrain) || p.HasRung(RungWait) || p.OnExhausted == nil && p.Streams()
}
