package docs

import (
	"strings"

	"github.com/poolgen/poolgen/spec"
)

// group is a part of the keys of a pool, under one heading.
type group struct {
	title string
	keys  []string
}

var groups = []group{
	{"What it is", []string{"name", "doc", "item", "block_size", "alignment", "zero"}},
	{"Where memory comes from", []string{"allocator", "alloc", "free", "fallback", "pinned_flags", "driver_pool", "device", "peers", "shareable", "registered"}},
	{"How it is divided", []string{"suballocator", "fit", "min_split", "bins", "cache", "arena_size", "device_view"}},
	{"How much there is", []string{"chunk_size", "limit", "max_limit", "budget", "guarantee", "priority", "reclaim", "soft_limit", "growth", "prime", "trim", "sleep"}},
	{"Who calls, and when blocks are free", []string{"concurrency", "magazine", "ordering", "across_streams", "capture", "on_exhausted", "wait_timeout"}},
	{"How blocks are found", []string{"lookup"}},
	{"What is sampled", []string{"guard", "profile"}},
	{"What is generated", []string{"package_functions", "stats", "tests", "c_header", "adapters"}},
}

// suballocators takes the words from the table of package spec.
func suballocators() (list []word) {
	for _, s := range spec.Suballocators() {
		list = append(list, word{string(s), s.Info().Words})
	}
	return list
}

// suballocatorsThat names the suballocators of a kind.
func suballocatorsThat(is func(spec.SuballocatorInfo) bool) string {
	var list []string
	for _, s := range spec.Suballocators() {
		if is(s.Info()) {
			list = append(list, "`"+string(s)+"`")
		}
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " and " + list[last]
}

// Suballocators by how they answer a request that no chunk of the usual size can serve.
var (
	enlarging = suballocatorsThat(func(s spec.SuballocatorInfo) bool { return s.Large })
	refusing  = suballocatorsThat(func(s spec.SuballocatorInfo) bool { return !s.Large && !s.OneSize })
)

// word is a value that is chosen by its name.
type word struct{ word, meaning string }

// words explain the values of keys that are chosen by their names. Keys inside of others are listed with their section.
var words = map[string][]word{
	"allocator": {
		{"host", "memory of the process, mapped beside the Go heap; `*T` and `[]T`. Needs no cgo and no driver"},
		{"pinned", "page-locked host memory, which devices copy from and to at full speed; `*T` and `[]T`"},
		{"managed", "memory that host and devices share, moved by the driver; `*T` and `[]T`"},
		{"device", "memory of a device; `FooPtr` and `FooSpan`, for kernels and copies"},
		{"device_async", "the same, from the memory pool of the driver that is the device's current one: its default pool, unless the program has set another"},
		{"device_pool", "the same, from a memory pool of the driver that belongs to this pool alone"},
		{"device_virtual", "the same, mapped by pages into one range of addresses, where the pool grows in place and hardly any memory is lost"},
		{"texture_tile", "64 KiB tiles for sparse textures; `FooTiles`"},
		{"none", "no memory: the pool hands out numbers that `TrackFoo` gives it; `FooID` and `FooIDs`"},
		{"custom", "memory from two functions of the output package, which `alloc` and `free` name; `*T` and `[]T`"},
	},
	"device": {
		{"current", "that of the primary context that is current on the thread that creates or first uses the pool; without one, device 0. Any other context is refused"},
		{"each", "one pool per device, behind one API"},
	},
	"suballocator": suballocators(),
	"device_view": {
		{"bump", "kernels allocate any number of items from a view, and the host resets it. For pools whose blocks are freed all at once"},
		{"fixed", "kernels allocate and free single items of a view. For pools with an item, whatever their suballocator"},
		{"true", "the same as `bump`"},
		{"false", "the pool has no views"},
	},
	"concurrency": {
		{"none", "one goroutine at a time; handing the pool over is up to you. Costs nothing"},
		{"mutex", "any goroutine; one lock of the pool"},
		{"sharded", "any goroutine; those on different processors do not meet on the fast path"},
	},
	"ordering": {
		{"sync", "`Free` says that no work on the block is pending"},
		{"stream", "`AllocFooOn`, `FreeFooOn`, `FreeFooAsync` and their relatives take a stream: others can have the block when the stream has passed its free"},
		{"deferred", "only `FreeFooAsync` takes a stream"},
		{"driver", "as `stream`, but each block is a call of the driver, which alone decides when others get the memory; only with `device_pool` or `device_async`, and `suballocator: none`"},
	},
	"across_streams": {
		{"limit", "only when the pool cannot grow. Streams run side by side as far as memory allows"},
		{"peak", "also before the pool would hold more than it ever did; only then is the peak exceeded"},
		{"growth", "before any growth: the fewest bytes, and the most waits"},
	},
	"capture": {
		{"refuse", "with `poolrt.ErrUnsupported`: allocate blocks of captured work without a stream"},
		{"private", "if the pool is named in `Stream.BeginCaptureWith`, blocks belong to the graph, which uses their memory again wherever the order of its work allows"},
	},
	"growth": {
		{"fixed", "as large as the last"},
		{"double", "twice as large as the last, as long as limit and budget allow"},
	},
	"fit": {
		{"first", "the free range with the lowest address; O(log n)"},
		{"best", "the smallest free range that is large enough; O(log n)"},
		{"good", "one that is large enough and not much larger; constant time, however much is live"},
	},
	"zero": {
		{"never", "blocks hold whatever was in them"},
		{"first", "a block is zero when it is handed out for the first time"},
		{"always", "every block is zero"},
	},
	"stats": {
		{"counters", "`Stats` has all figures. The fast path pays nothing for them, or next to nothing"},
		{"off", "`Stats` has no `Allocs`, `Frees` and `PeakBytes`"},
	},
	"on_exhausted": {
		{"poll", "find out which streams have passed their frees, and reclaim those blocks"},
		{"trim", "return empty chunks, of this pool and then of the others of its budget, to make room for another chunk: at the limit as much as the request lacks, and nothing where that would not do"},
		{"drain", "wait as long as frees are pending on streams and the pool could hold the request beside its live blocks, for at most `wait_timeout`. If nothing is pending it does not wait"},
		{"wait", "wait until a block is freed, or a stream has passed a free, for at most `wait_timeout`"},
		{"driver", "take the block directly from the driver, as an allocation of its own, within limit and budget, which is returned when it is freed: for what no chunk can hold, or where there is room for the block but not for a chunk"},
		{"pool:Name", "take a block of another pool of the file, on the same device, which tries what its own `on_exhausted` says, `wait` included. The block is a live block of that pool, whose `Stats` and `Close` count it, and not those of this one; its free goes back there"},
		{"error", "fail. It ends the ladder, even if it is left out"},
	},
	"lookup": {
		{"address", "`FindFoo(addr)` returns the live block that starts at an address, with its length, or an error. `FooSpanAt(addr, n)` makes a `FooSpan` of a device without a check. Costs a lock and a search of the chunks; the fast path pays nothing"},
		{"index", "`IndexFoo(block)` numbers the blocks from 1, and `FooAtIndex(i)` returns the block with a number, whether it is live or not. 0 and nil stand for no block: what is out of bounds leads to them. Both take no lock. The fast path pays nothing"},
		{"handle", "`FooHandle` is 64 bits: an index and a generation. `AllocFooHandle`, `GetFoo(h)` and `FreeFooHandle(h)` use it. A handle whose block was freed is refused, also after the block is in use again. Costs 4 bytes for each block that was in use at once"},
	},
	"budgets.scope": {
		{"process", "the pools of each process, by itself"},
		{"host", "the pools of all processes of the user which have a budget of this name, on Linux: see [budgets.md](budgets.md#across-processes)"},
	},
	"reclaim": {
		{"trim", "return empty chunks"},
		{"hook", "call the functions that `OnReclaim` has registered, and return what they leave empty"},
		{"sleep", "go to sleep, if no work is running and the pool in need has the same priority or a higher one; with the key `sleep`"},
	},
	"adapters": {
		{"pool", "`FooCache`, in the place of a `sync.Pool` of byte slices: `Get(n)` and `Put(b)`. Where the pool has no block, `Get` makes a slice on the Go heap, which is counted"},
		{"writer", "`FooWriter`, in the place of a `bytes.Buffer`: its buffer is a block of the pool, up to the limit, and `Close` frees it"},
		{"grpc", "`FooBuffers`, a `mem.BufferPool` of gRPC: as `FooCache`, with pointers to slices. Not with `concurrency: none`"},
		{"arrow", "`FooAllocator`, a `memory.Allocator` of Arrow: its blocks are zero, and it panics where the pool refuses a request. Needs `alignment: 64` or more"},
	},
	"bins.growth": {
		{"pow2", "each is twice the one before"}, {"1.25", "a quarter larger"}, {"1.5", "a half larger"},
	},
	"sleep.contents": {
		{"keep", "live blocks have their bytes after `Wake`: `Sleep` copies them to memory of the host"},
		{"discard", "live blocks hold anything after `Wake`; nothing is copied"},
	},
	"sleep.backing": {
		{"keep", "page-locked memory, which stays for the next sleep, until `Trim(0)` or `Close`"},
		{"release", "page-locked memory, which goes back when the pool has woken"},
		{"staged", "ordinary memory, copied through two page-locked buffers; both stay as with `keep`"},
	},
	"trim.when": nil, // described in the text of the key
	"driver_pool.source": {
		{"default", "that of the device, which the whole process shares"}, {"custom", "one made for this pool"},
	},
	"driver_pool.type":     nil,
	"driver_pool.location": nil,
	"driver_pool.handles":  nil,
}

// notes supplement the texts of keys, by section and key.
var notes = map[string]string{
	"file.imports": "items are written with a qualifier, `mesh.Vertex`, and `imports` says which package that is. Every import has to be used. poolgen does not load the package: if a path " +
		"is well formed but names no package, the Go compiler finds it.",
	"file.defaults": "a pool that sets a key itself wins. A default that does not apply to a pool is skipped there, and `poolgen explain` shows it; if the pool itself sets such a key, it is refused.",
	"file.budgets": "a hard limit that several pools share, `budget: Scene` in each. A pool's own limit holds as well. Reserved memory counts, live or not. A pool that finds no room has the others of the budget return what they do not " +
		"use: see [budgets.md](budgets.md).",

	"pools.name": "Generated names must not collide with each other (`Node` beside `NodeBatch`) or with declarations in the directory; such a collision is refused, showing both places.",
	"pools.item": "Only the Go compiler knows the size of your own types, so it checks what depends on that: see [Sizes of types](behaviour.md#sizes-of-types).",
	"file.output": "the directory has to be one that the go command can build: names of ASCII letters, digits and `-._~+` that do not begin with `-`, `~` or `+` or end with a dot, " +
		"and neither `vendor` nor a name that Windows reserves, such as `con`. Patterns such as `./...` match no directory that is named `testdata` or begins with `_` or a dot: `poolgen generate` notes that.",
	"pools.block_size": "Blocks of a pool without an item are `FooBlock`, an array of bytes. With an item, it adds padding: `block_size: 64` gives each item a cache line of its own.",
	"pools.alignment":  "With `suballocator: fixed`, the distance between blocks is rounded up to it. With the others, `AllocFooAligned(n, align)` asks for more in a single call.",
	"pools.zero": "On a device, a stream does this work: [Memory on devices](behaviour.md#memory-on-devices). " +
		"Memory that allocator `host` has just obtained from the system is zero, so it is not cleared, and its " +
		"pages take up no memory until they are used.",
	"pools.allocator": "`poolgen doctor` says which of them work on a machine, and why the others do not. For the driver calls of each, see [Allocators](cuda.md#allocators). " +
		"A list such as `[device_virtual, device_pool, device]` has at least two that hand out the same Go types: those of a device without `texture_tile`, or `host`, `pinned`, `managed` and `custom`. " +
		"The first is the default, and `NewFooPool(poolrt.WithAllocator(\"device_pool\"))` chooses another: [Choosing the allocator](settings.md#choosing-the-allocator). " +
		"A key that applies to one of the list is legal, and counts when that one is in force. Chunks are multiples of what the coarsest of them hands out. " +
		"`ordering: driver` is for lists of `device_pool` and `device_async`.",
	"pools.alloc":        "`func mapPages(size, align int64) (unsafe.Pointer, error)` returns at least `size` bytes, at a multiple of `align`, that hold no Go pointers.",
	"pools.free":         "`func unmapPages(p unsafe.Pointer, size int64) error` is called once for each chunk, with the pointer that `alloc` returned and the size it was asked for.",
	"pools.fallback":     "Without it no allocator ever replaces another. `Requested()` and `Effective()` say what was asked for and what is in force: [Fallback](cuda.md#fallback).",
	"pools.device":       "`device: 1` is the device with this number. `NewFooPool(poolrt.OnDevice(1))` puts another pool of this kind on another device.",
	"pools.driver_pool":  "Settings of the default pool apply to the whole process: [The driver's memory pools](cuda.md#the-drivers-memory-pools).",
	"pools.shareable":    "See [Sharing with other processes](cuda.md#sharing-with-other-processes).",
	"pools.suballocator": "To choose one, see [choosing.md](choosing.md).",
	"pools.bins":         "Sizes are rounded up to a multiple of 16 bytes, and of the alignment. There are at most 255 bins; a request above the largest goes to the heap (`binned`), or gets a chunk of its own (`classes`).",
	"pools.arena_size":   "A larger request is `poolrt.ErrTooLarge`. Blocks may be freed in any order; their space is reused when all older blocks of the ring are free, so a long-lived block blocks its own ring, but no other.",
	"pools.device_view":  "See [Memory that kernels allocate](kernels.md#memory-that-kernels-allocate), and [Items that kernels allocate and free](kernels.md#items-that-kernels-allocate-and-free).",
	"pools.profile":      "`poolrt.WriteAllocProfile(w)` writes the profile, and pprof merges it with that of Go's heap: see [A profile of the memory](observing.md#a-profile-of-the-memory).",
	"pools.guard": "A fault ends the program, unless the goroutine has called `poolrt.CatchFaults`; with it, the report has the calls that allocated and freed the block. Limits and figures stay those of the pool without the key. " +
		"See [guards.md](guards.md).",
	"pools.tests":    "What they test, and how to run them: [Tests of your pools](debugging.md#tests-of-your-pools).",
	"pools.adapters": "`NewFooCache(pool)` and its like make one for a pool. The output depends on no other module: the interfaces of gRPC and Arrow consist of types of Go. See [adapters.md](adapters.md).",
	"pools.c_header": "See [The layout of an item, for C](kernels.md#the-layout-of-an-item-for-c).",
	"pools.chunk_size": "A larger request within the limit gets a chunk of its own from " + enlarging + "; " + refusing + " answer `poolrt.ErrTooLarge`. Under `device_virtual` this is the size of a page. " +
		"Without a `limit`, a block of `heap`, `binned` or `classes` has less than 2^32 times the alignment, or 64 GiB where that is below 16 bytes; with a larger `limit` or `chunk_size`, it may be as large as that.",
	"pools.limit":          "An allocation that would exceed it fails with `poolrt.ErrLimit`, after the ladder of `on_exhausted`. `NewFooPool(poolrt.WithLimit(n))` and `SetLimit` change the limit in a running program, up to `max_limit`.",
	"pools.max_limit":      "It decides what the code is made for: the units in which a `heap` counts, whether one chunk is all, and how many addresses `device_virtual` reserves. With an ordinary `limit`, `SetLimit` can lower the limit, and raise it back to that. See [Settings at run time](settings.md#the-largest-limit).",
	"pools.guarantee":      "The budget keeps what the pool lacks to it, from the first use of the pool on: no other pool gets that. The guarantees of all pools of a budget together are at most its limit. See [budgets.md](budgets.md#guarantees).",
	"pools.priority":       "`poolrt.Group` uses it as well: `TrimAll` begins with the lowest.",
	"pools.reclaim":        "The order in which these are tried is always that of this list. See [budgets.md](budgets.md#who-gives).",
	"pools.soft_limit":     "The hooks of `poolrt.OnEvent` get `poolrt.EventSoftLimit`.",
	"pools.trim":           "Nothing runs in the background: chunks are returned when someone frees, grows the pool or calls `Poll`. With `none`, chunks stay until a request at the limit needs their room, or until you call `Trim(keep)`. For what it buys, see [tuning.md](tuning.md#what-the-settings-do).",
	"pools.concurrency":    "For what each promises and costs, see [concurrency.md](concurrency.md).",
	"pools.magazine":       "See [Magazines](concurrency.md#magazines).",
	"pools.across_streams": "The host never waits for this, and `AllocFoo`, which has no stream, never gets such memory. `Stats().StreamWaits` counts the waits. See [Growing or waiting](streams.md#growing-or-waiting).",
	"pools.capture":        "See [Memory private to a graph](graphs.md).",
	"pools.ordering":       "For what is promised, see [streams.md](streams.md).",
	"pools.on_exhausted":   "A rung that can do nothing in the pool is refused. The error of a failed allocation says what each rung achieved: [Calls that fail](behaviour.md#calls-that-fail).",
	"pools.lookup": "An index and a handle need `suballocator: fixed` and all blocks in one chunk: set `limit`, and `chunk_size` to the same value. On the host, a chunk takes up memory only where it is used. " +
		"Handles need `ordering: sync`, and `concurrency: mutex` or `none`. See [Ways back to a block](behaviour.md#ways-back-to-a-block).",
	"pools.wait_timeout":      "`AllocFooContext(ctx, ...)` instead waits as long as its context allows.",
	"pools.package_functions": "`AllocFoo()` is `DefaultFooPool().Alloc()`. Without them, make pools with `NewFooPool`, or embed a `FooPool` in something else: its zero value is ready to use. A package that has package functions for two pools or more also has the variable `Pools`, the group of these pools: see [Groups of pools](settings.md#groups-of-pools).",
}
