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
	{"What is generated", []string{"package_functions", "stats", "tests", "c_header", "adapters", "exports"}},
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

// notes supplement the texts of keys, by section and key.
var notes = map[string]string{
	"file.imports": "items are written with a qualifier, `mesh.Vertex`, and `imports` says which package that is. Every import has to be used. poolgen does not load the package: if a path " +
		"is well formed but names no package, the Go compiler finds it.",
	"file.defaults": "a pool that sets a key itself wins. A default that does not apply to a pool is skipped there, and `poolgen explain` shows it; if the pool itself sets such a key, it is refused.",
	"file.budgets": "a hard limit that several pools share, `budget: Scene` in each. A pool's own limit holds as well. Reserved memory counts, live or not. A pool that finds no room has the others of the budget return what they do not " +
		"use: see [budgets.md](budgets.md).",

	"pools.name": "A name that begins with a lower-case letter makes a pool for its package alone: all names of its output begin so, except those of tests and methods. Its item need not be " +
		"exported either. Statistics and errors say `scene.node`. Such a name has no underscore.\n\nGenerated names must not collide with each other (`Node` and `NodeBatch`) or with declarations in the directory; such a collision is refused, showing both places.",
	"pools.item": "Only the Go compiler knows the size of your own types, so it checks what depends on that: see [Sizes of types](behaviour.md#sizes-of-types).",
	"file.build_tags": "a condition as a `go:build` line has it: `build_tags: cuda && !windows`. With `!` in front it needs quotes, as in `\"!windows\"`. C headers do not have it. A hand-written file of the directory may declare " +
		"the same names if no build includes both. Programs that poolgen builds, as for `explain` and `bench`, have the tags of `GOFLAGS`.",
	"file.output": "the directory has to be one that the go command can build. Its names are of ASCII letters, digits and `-._~+`, do not begin with `-`, `~` or `+` or end with a dot, " +
		"and are neither `vendor` nor a name that Windows reserves, such as `con`. Patterns such as `./...` match no directory that is named `testdata` or begins with `_` or a dot: `poolgen generate` notes that.",
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
	"pools.cache":        "Before a pool would hold more than five fourths of the most bytes that were ever live, what is cached makes room: it merges and serves requests of any size, and empty chunks are returned. Pools with pages have `trim` for that.",
	"pools.suballocator": "To choose one, see [choosing.md](choosing.md).",
	"pools.bins":         "Sizes are rounded up to a multiple of 16 bytes, and of the alignment. There are at most 255 bins; a request above the largest goes to the heap (`binned`), or gets a chunk of its own (`classes`).",
	"pools.arena_size":   "A larger request is `poolrt.ErrTooLarge`. Blocks may be freed in any order; their space is reused when all older blocks of the ring are free, so a long-lived block blocks its own ring, but no other.",
	"pools.device_view":  "See [Memory that kernels allocate](kernels.md#memory-that-kernels-allocate), and [Items that kernels allocate and free](kernels.md#items-that-kernels-allocate-and-free).",
	"pools.profile":      "`poolrt.WriteAllocProfile(w)` writes the profile, and pprof merges it with that of Go's heap: see [A profile of the memory](observing.md#a-profile-of-the-memory).",
	"pools.guard": "A fault ends the program, unless the goroutine has called `poolrt.CatchFaults`; with it, the report has the calls that allocated and freed the block. Limits and figures stay those of the pool without the key. " +
		"See [guards.md](guards.md).",
	"pools.tests":    "What they test, and how to run them: [Tests of your pools](debugging.md#tests-of-your-pools).",
	"pools.adapters": "`NewFooCache(pool)` and its like make one for a pool. The output depends on no other module: the interfaces of gRPC and Arrow consist of types of Go. See [adapters.md](adapters.md).",
	"pools.exports":  "The functions act on the package's own pool, which the package has for that even without `package_functions`. `go build -buildmode=c-shared` makes the library. See [other-languages.md](other-languages.md).",
	"pools.c_header": "See [The layout of an item, for C](kernels.md#the-layout-of-an-item-for-c).",
	"pools.chunk_size": "A larger request within the limit gets a chunk of its own from " + enlarging + "; " + refusing + " answer `poolrt.ErrTooLarge`. Under `device_virtual` this is the size of a page. " +
		"Without a `limit`, a block of `heap`, `binned` or `classes` has less than 2^32 times the alignment, or 64 GiB where that is below 16 bytes. With a larger `limit` or `chunk_size`, it may be as large as that.",
	"pools.limit":          "An allocation that would exceed it fails with `poolrt.ErrLimit`, after the ladder of `on_exhausted`. `NewFooPool(poolrt.WithLimit(n))` and `SetLimit` change the limit in a running program, up to `max_limit`.",
	"pools.max_limit":      "It decides what the code is made for: the units in which a `heap` counts, whether one chunk is all, and how many addresses `device_virtual` reserves. With an ordinary `limit`, `SetLimit` can lower the limit, and raise it back to that. See [Settings at run time](settings.md#the-largest-limit).",
	"pools.guarantee":      "The budget keeps what the pool lacks to it, from the first use of the pool on: no other pool gets that. The guarantees of all pools of a budget together are at most its limit. See [budgets.md](budgets.md#guarantees).",
	"pools.priority":       "`poolrt.Group` uses it as well: `TrimAll` begins with the lowest.",
	"pools.reclaim":        "The order in which these are tried is always that of this list. See [budgets.md](budgets.md#who-gives).",
	"pools.soft_limit":     "The hooks of `poolrt.OnEvent` get `poolrt.EventSoftLimit`.",
	"pools.trim":           "Nothing runs in the background: chunks are returned when someone frees, grows the pool or calls `Poll`. With `none`, chunks stay until a request at the limit needs their room, or until you call `Trim(keep)`; those of `classes` may go [earlier](#cache). With `when: growth`, a pool whose steps repeat stops returning what it obtains again. For what it buys, see [tuning.md](tuning.md#what-the-settings-do).",
	"pools.concurrency":    "For what each promises and costs, see [concurrency.md](concurrency.md).",
	"pools.magazine":       "See [Magazines](concurrency.md#magazines).",
	"pools.across_streams": "The host never waits for this, and `AllocFoo`, which has no stream, never gets such memory. `Stats().StreamWaits` counts the waits. See [Growing or waiting](streams.md#growing-or-waiting).",
	"pools.capture":        "See [Memory private to a graph](graphs.md).",
	"pools.ordering":       "For what is promised, see [streams.md](streams.md).",
	"pools.on_exhausted":   "A rung that can do nothing in the pool is refused. The error of a failed allocation says what each rung achieved: [Calls that fail](behaviour.md#calls-that-fail).",
	"pools.lookup": "An index and a handle need `suballocator: fixed`, a `limit`, and all blocks in one range of addresses. Pools of `host` memory reserve one, unless they have `trim` or `concurrency: sharded`; others need one chunk: set `chunk_size` to the limit. " +
		"Handles need `ordering: sync`, and `concurrency: mutex` or `none`. See [Ways back to a block](behaviour.md#ways-back-to-a-block).",
	"pools.wait_timeout":      "`AllocFooContext(ctx, ...)` instead waits as long as its context allows.",
	"pools.package_functions": "`AllocFoo()` is `DefaultFooPool().Alloc()`. Without them, make pools with `NewFooPool`, or embed a `FooPool` in something else: its zero value is ready to use. A package that has package functions for two pools or more also has the variable `Pools`, the group of these pools: see [Groups of pools](settings.md#groups-of-pools).",
}
