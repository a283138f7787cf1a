package docs

// group is a part of the keys of a pool, under one heading.
type group struct {
	title string
	keys  []string
}

var groups = []group{
	{"What it is", []string{"name", "doc", "item", "block_size", "alignment", "zero"}},
	{"Where memory comes from", []string{"allocator", "alloc", "free", "fallback", "pinned_flags", "driver_pool", "device", "peers", "shareable"}},
	{"How it is cut up", []string{"suballocator", "fit", "min_split", "bins", "cache", "arena_size", "device_view"}},
	{"How much there is", []string{"chunk_size", "limit", "budget", "soft_limit", "growth", "prime", "trim"}},
	{"Who calls, and when blocks are free", []string{"concurrency", "magazine", "ordering", "on_exhausted", "wait_timeout"}},
	{"What is generated", []string{"package_functions", "stats", "tests", "c_header"}},
}

// word is a value that is chosen by its name.
type word struct{ word, meaning string }

// words explain the values of keys that are chosen by their names. Keys inside of others are listed with their section.
var words = map[string][]word{
	"allocator": {
		{"host", "memory of the process, mapped beside the Go heap; `*T` and `[]T`. No cgo, no driver"},
		{"pinned", "page-locked memory of the host, which devices copy from and to at full speed; `*T` and `[]T`"},
		{"managed", "memory that host and devices share, and the driver moves; `*T` and `[]T`"},
		{"device", "memory of a device; `FooPtr` and `FooSpan`, for kernels and copies"},
		{"device_async", "the same, from the default memory pool of the device's driver"},
		{"device_pool", "the same, from a memory pool of the driver that belongs to this pool alone"},
		{"device_virtual", "the same, mapped by pages into one range of addresses, so that growth is in place and hardly anything is lost"},
		{"texture_tile", "tiles of 64 KiB for sparse textures; `FooTiles`"},
		{"none", "no memory: the pool hands out numbers that `TrackFoo` gives it; `FooID` and `FooIDs`"},
		{"custom", "what two functions of the output package hand out, which `alloc` and `free` name; `*T` and `[]T`"},
	},
	"suballocator": {
		{"fixed", "one item a call, all of one size, in constant time"},
		{"heap", "any number of items; `fit` says which free range is taken; free neighbours merge at once"},
		{"binned", "small sizes from bins, all else from a heap"},
		{"classes", "size classes; what is freed is cached for its class"},
		{"ring", "temporaries that come back about in the order in which they were taken"},
		{"bump", "no single free: all at once by `Reset`, or with `concurrency: none` back to a mark"},
		{"none", "each block is an allocation of the allocator, counted, limited and checked"},
	},
	"concurrency": {
		{"none", "one goroutine at a time; handing the pool over is up to you, and costs nothing"},
		{"mutex", "any goroutine; one lock of the pool"},
		{"sharded", "any goroutine; those on different processors do not meet on the fast path"},
	},
	"ordering": {
		{"sync", "`Free` says that no work on the block is pending"},
		{"stream", "`AllocFooOn`, `FreeFooOn` and `FreeFooAsync` take a stream: the block is free for others when the stream has passed"},
		{"deferred", "`FreeFooAsync` alone takes a stream"},
	},
	"growth": {
		{"fixed", "as large as the last"},
		{"double", "twice as large as the last, as long as limit and budget allow it"},
	},
	"fit": {
		{"first", "the free range with the lowest address; O(log n)"},
		{"best", "the smallest free range that is large enough; O(log n)"},
		{"good", "one that is large enough and not much larger; constant time, whatever is live"},
	},
	"zero": {
		{"never", "blocks hold what was in them"},
		{"first", "a block is zero when it is handed out for the first time"},
		{"always", "every block is zero"},
	},
	"stats": {
		{"counters", "`Stats` has everything. The fast path pays nothing for it, or next to nothing"},
		{"off", "`Stats` has no `Allocs`, `Frees` and `PeakBytes`"},
	},
	"on_exhausted": {
		{"poll", "ask which streams have passed, and take what they freed"},
		{"trim", "give empty chunks back, of this pool and of others of its budget, so that another one fits"},
		{"wait", "wait until a block is freed, or a stream has passed, for `wait_timeout` at most"},
		{"driver", "take the block straight from the driver, as an allocation of its own within limit and budget that goes back when it is freed: for what no chunk can hold, or where there is room for the block and not for a chunk"},
		{"pool:Name", "take a block of another pool of the file, on the same device; its free goes back there"},
		{"error", "fail. It ends the ladder, and does so also where it is left out"},
	},
	"bins.growth": {
		{"pow2", "each is twice the one before"}, {"1.25", "a quarter larger"}, {"1.5", "a half larger"},
	},
	"trim.when": nil, // told in the text of the key
	"driver_pool.source": {
		{"default", "that of the device, which the whole process shares"}, {"custom", "one made for this pool"},
	},
	"driver_pool.type":     nil,
	"driver_pool.location": nil,
	"driver_pool.handles":  nil,
}

// notes say what there is to know beyond the text of a key, by section and key.
var notes = map[string]string{
	"file.imports": "items are written with a qualifier, `mesh.Vertex`, and `imports` says which package that is. Every import has to be used. poolgen does not load the package: a path " +
		"that is well formed but leads nowhere is found by the Go compiler.",
	"file.defaults": "a pool that sets a key itself wins. A key that does not apply to a pool is skipped there, and `poolgen explain` shows so; in a pool itself it is refused.",
	"file.budgets": "a hard limit that several pools share, `budget: Scene` in each. A pool's own limit holds as well. Memory that is reserved counts, live or not: the rung `trim` of " +
		"`on_exhausted` has the other pools of the budget give back what they do not use.",

	"pools.name":              "The names that are generated must not collide with each other (`Node` beside `NodeBatch`) or with what the folder declares; both are refused with both places.",
	"pools.item":              "The size of your own types is known to the Go compiler alone, so what depends on it is checked there: see [Sizes of types](behaviour.md#sizes-of-types).",
	"pools.block_size":        "Blocks of a pool without item are `FooBlock`, an array of bytes. Set with an item, it pads: `block_size: 64` gives each item a cache line of its own.",
	"pools.alignment":         "With `suballocator: fixed` the distance of blocks is rounded up to it. `AllocFooAligned(n, align)` asks for more in single calls of the other ones.",
	"pools.zero":              "On a device this is work of a stream: [Memory on devices](behaviour.md#memory-on-devices).",
	"pools.allocator":         "`poolgen doctor` says which of them work on a machine, and why not. What each asks of the driver: [Allocators](cuda.md#allocators).",
	"pools.alloc":             "`func mapPages(size, align int64) (unsafe.Pointer, error)`: memory of at least `size` bytes whose address is a multiple of `align`, and which holds no Go pointers.",
	"pools.free":              "`func unmapPages(p unsafe.Pointer, size int64) error`: called once for each chunk, with what `alloc` returned and was asked for.",
	"pools.fallback":          "Without it nothing ever stands in for anything. `Requested()` and `Effective()` tell what was asked for and what is in force: [Fallback](cuda.md#fallback).",
	"pools.device":            "`NewFooPool(poolrt.OnDevice(1))` puts another pool of the kind on another device.",
	"pools.driver_pool":       "Settings of the default pool hold for the whole process: [The driver's memory pools](cuda.md#the-drivers-memory-pools).",
	"pools.shareable":         "[Sharing with other processes](cuda.md#sharing-with-other-processes).",
	"pools.suballocator":      "Which one: [choosing.md](choosing.md).",
	"pools.bins":              "Sizes are rounded up to a multiple of 16 bytes, and of the alignment. At most 255 bins; a request above the largest goes to the heap (`binned`), or has a chunk of its own (`classes`).",
	"pools.arena_size":        "A request above it is `ErrTooLarge`. Blocks may be freed in any order; space comes back when all older blocks of the ring are free, so one that lives long holds up its own ring, and no other.",
	"pools.device_view":       "[Memory that kernels allocate](kernels.md#memory-that-kernels-allocate).",
	"pools.c_header":          "[The layout of an item, for C](kernels.md#the-layout-of-an-item-for-c).",
	"pools.chunk_size":        "A request above it, and within the limit, gets a chunk of its own from `heap`, `binned`, `classes` and `none`; `ring` and `bump` answer `ErrTooLarge`. Under `device_virtual` it is the size of a page.",
	"pools.limit":             "What would go beyond it fails with `ErrLimit`, after the ladder of `on_exhausted`. `NewFooPool(poolrt.WithLimit(n))` and `SetLimit` may lower it, never raise it.",
	"pools.soft_limit":        "Crossing it sends `poolrt.EventSoftLimit` to the hooks of `poolrt.OnEvent`.",
	"pools.trim":              "Nothing of ours runs in the background: chunks go back when somebody frees, grows or calls `Poll`. Without `trim`, `Trim(keep)` does it by hand. [tuning.md](tuning.md#what-the-settings-do) has what it buys.",
	"pools.concurrency":       "[concurrency.md](concurrency.md) has what each promises and costs.",
	"pools.magazine":          "[Magazines](concurrency.md#magazines).",
	"pools.ordering":          "[streams.md](streams.md) has the promises.",
	"pools.on_exhausted":      "A rung that can do nothing in the pool is refused. The error of a failed allocation tells what came of each: [Calls that fail](behaviour.md#calls-that-fail).",
	"pools.wait_timeout":      "`AllocFooContext(ctx, ...)` waits as long as its context allows instead.",
	"pools.package_functions": "`AllocFoo()` is `DefaultFooPool().Alloc()`. Without them, make pools by `NewFooPool`, or use a `FooPool` that is part of something else: its zero value is ready.",
}
