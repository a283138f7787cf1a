package spec

import (
	"strings"
	"testing"
)

// poolFile wraps the keys of one pool into a file; they begin at line 4.
func poolFile(keys string) string {
	var b strings.Builder
	b.WriteString("version: 1\npools:\n  - name: Foo\n")
	for _, line := range strings.Split(keys, "; ") {
		b.WriteString("    " + line + "\n")
	}
	return b.String()
}

// Each line of keys is legal, or refused at the given places. Positions are those of the values.
func TestValuesAreHeldAgainstEachOther(t *testing.T) {
	const foo = `pool "Foo": `
	for _, test := range []struct {
		keys string // separated by "; ", from line 4 on
		want string // findings separated by "; "; "" for none
	}{
		// Form of values.
		{"item: float32", ""},
		{"suballocator: heap", ""},
		{"item:", "4:5: PG011: " + foo + "item has no value"},
		{"item: [4]", "4:11: PG026: " + foo + "item is a Go type, and this is a list"},
		{`item: "[4]float32"`, ""},
		{"item: {a: b}", "4:11: PG011: " + foo + "item is a single value"},
		{"limit: 1GiB; limt: 2", `5:5: PG010: ` + foo + `unknown key "limt"`},
		{"allocator: Host", `4:16: PG012: ` + foo + `allocator "Host" is not known`},
		{"item: float32; concurrency: sharded; magazine: 8", ""},
		{`item: float32; concurrency: sharded; magazine: "8"`, "6:15: PG016"},
		{"item: float32; concurrency: sharded; magazine: 08", "6:15: PG016"},
		{"item: float32; concurrency: sharded; magazine: -1", "6:15: PG016: " + foo + "magazine -1 is out of range"},
		{"item: float32; concurrency: sharded; magazine: 70000", "6:15: PG016"},
		{"limit: 0", "4:12: PG015: " + foo + "limit 0B is below the smallest, 1B"},
		{"limit: -5MiB", "4:12: PG015: " + foo + `limit "-5MiB" is negative`},
		{"min_split: 4GiB; chunk_size: 8GiB", "4:16: PG015: " + foo + "min_split 4GiB is above the largest, 2GiB"},
		{"min_split: 2GiB; chunk_size: 8GiB", ""},
		{"alignment: 4GiB; chunk_size: 8GiB", "4:16: PG032: " + foo + "alignment 4GiB is above the largest that suballocator heap keeps, 2GiB"},
		{"alignment: 2GiB; chunk_size: 8GiB; min_split: 2GiB", ""},
		{"suballocator: classes; alignment: 4GiB; chunk_size: 8GiB", "5:16: PG032"},
		{"suballocator: bump; alignment: 4GiB; chunk_size: 8GiB", ""},
		{"limit: none", ""},
		{"prime: none", "4:12: PG015: " + foo + "prime cannot be none"},
		{"soft_limit: none", ""},
		{"chunk_size: 1PiB", "4:17: PG015"},
		{"chunk_size: 200TiB", "4:17: PG015: " + foo + "chunk_size 200TiB is above the largest, 128TiB"},
		{"tests: True", "4:12: PG016"},
		{"tests: 1", "4:12: PG016"},
		{"stats: off", ""},
		{"doc: 5", ""},
		{"doc:", "4:5: PG011"},
		{`doc: "a\u202eb"`, "4:10: PG025"},
		{`doc: "a\u2028b"`, "4:10: PG025"},
		{"doc: [a]", "4:10: PG011"},
		{"trim: {keep: 1MiB, idle: 5}", "4:30: PG016: " + foo + `idle "5" is not a duration`},
		{"trim: {keep: 1MiB, idle: -9223372036854775808ns}", "4:30: PG016: " + foo + "idle -2562047h47m16.854775808s is negative"},
		{"trim: {keep: 1MiB, idle: -5s}", "4:30: PG016: " + foo + "idle -5s is negative"},
		{"trim: {}", "4:11: PG011: " + foo + "trim is empty"},
		{"trim: 5MiB", "4:11: PG011: " + foo + "trim is a block of keys, and this is a value"},
		{"trim: {kepp: 1MiB}", `4:12: PG010: ` + foo + `unknown key "kepp"`},
		{"device: currant", "4:13: PG029"},

		// Which keys apply where.
		{"item: float32; fit: best", "5:10: PG029: " + foo + "fit does not apply to suballocator fixed"},
		{"suballocator: binned; fit: best; min_split: 64", "5:10: PG029; 6:16: PG029"},
		{"item: float32; magazine: 8", "5:15: PG029: " + foo + "magazine does not apply to concurrency mutex"},
		{"concurrency: sharded; magazine: 8", "5:15: PG029: " + foo + "magazine does not apply to suballocator heap"},
		{"concurrency: sharded; suballocator: classes; magazine: 0", "6:15: PG029: " + foo + "magazine does not apply to suballocator classes"},
		{"item: float32; concurrency: sharded; magazine: 8; trim: {keep: 1MiB}", "6:15: PG029: " + foo + "magazine does not apply to a pool with trim"},
		{"allocator: device; item: float32; concurrency: sharded; magazine: 8", ""},
		{"allocator: none; suballocator: fixed; limit: 100; concurrency: sharded; magazine: 8", ""},
		{"bins: [64B]", "4:11: PG029: " + foo + "bins does not apply to suballocator heap"},
		{"cache: {per_bin: 1}; suballocator: binned", "4:12: PG029"},
		{"arena_size: 4KiB", "4:17: PG029"},
		{"suballocator: none; growth: double; prime: 1MiB; trim: {keep: 1MiB}", "5:13: PG029; 6:12: PG029; 7:11: PG029"},
		{"suballocator: none; chunk_size: 1MiB; limit: 4MiB", ""},
		{"peers: [1]; pinned_flags: [mapped]; driver_pool: {source: default}; device: 0", "4:12: PG029; 5:19: PG029; 6:18: PG029; 7:13: PG029"},
		{"shareable: false", "4:16: PG029"},
		{"adapters: [pool, writer, grpc]", ""},
		{"adapters: [arrow]; alignment: 64", ""},
		{"adapters: [arrow]; alignment: 4096; allocator: pinned; suballocator: ring", ""},
		{"adapters: [grpc]; item: uint8; suballocator: classes; concurrency: sharded", ""},
		{"adapters: [pool]; item: byte; suballocator: none", ""},
		{"adapters: [pool, arrow, writer]; alignment: 64; concurrency: none", ""},
		{"adapters: []", "4:15: PG011"},
		{"adapters: pool", "4:15: PG011: " + foo + "adapters is a list, and this is a value"},
		{"adapters: [pool, cache]", "4:22: PG012"},
		{"adapters: [pool, writer, pool]", "4:30: PG012: " + foo + "adapters lists pool twice"},
		{"adapters: [arrow]", "4:16: PG030: " + foo + "adapter arrow needs blocks that are aligned to 64 bytes"},
		{"adapters: [pool, arrow]; alignment: 32", "4:22: PG030"},
		{"adapters: [pool, grpc]; concurrency: none", "4:22: PG030: " + foo + "adapter grpc needs a pool that any goroutine may use"},
		{"adapters: [pool]; allocator: device", "4:15: PG029: " + foo + "adapters does not apply to allocator device"},
		{"adapters: [pool]; item: byte", "4:15: PG029: " + foo + "adapters does not apply to suballocator fixed"},
		{"adapters: [pool]; suballocator: bump", "4:15: PG029: " + foo + "adapters does not apply to suballocator bump"},
		{"adapters: [pool]; item: int32; suballocator: heap", "4:15: PG029: " + foo + "adapters does not apply to a pool of items"},
		{"adapters: [pool]; allocator: pinned; device: each", "4:15: PG029: " + foo + "adapters does not apply to device each"},
		{"lookup: address", ""},
		{"lookup: [address]; allocator: none", ""},
		{"lookup: []", "4:13: PG011"},
		{"lookup: [address, address]", "4:23: PG012"},
		{"lookup: pointer", "4:13: PG012"},
		{"lookup: address; suballocator: bump", "4:13: PG029: " + foo + "lookup does not apply to suballocator bump"},
		{"lookup: address; allocator: texture_tile", "4:13: PG029: " + foo + "lookup does not apply to allocator texture_tile"},
		{"lookup: [address, index]", "4:23: PG030: " + foo + "lookup index needs suballocator fixed over memory: the blocks of other pools have no index"},
		{"item: int32; lookup: handle", "5:13: PG030: " + foo + "lookup handle needs all blocks in one chunk of fewer than 2^32 blocks"},
		{"item: int32; limit: 1MiB; lookup: [handle, index]", ""},
		{"item: int32; limit: 1GiB; chunk_size: 1GiB; lookup: [handle, index]", ""},
		{"item: int32; limit: 1GiB; chunk_size: 512MiB; lookup: index", "7:13: PG030"},
		{"item: byte; limit: 8GiB; chunk_size: 8GiB; lookup: index", "7:13: PG030"},
		{"item: int64; limit: 8GiB; chunk_size: 8GiB; lookup: index", ""},
		{"item: Foo; limit: 8GiB; chunk_size: 8GiB; lookup: index", "7:13: PG030"},
		{"item: Foo; limit: 1GiB; chunk_size: 1GiB; lookup: index", ""},
		{"allocator: none; suballocator: fixed; limit: 100; lookup: index", "7:13: PG030"},
		{"item: int32; limit: 1MiB; lookup: [index, handle]; concurrency: sharded", "6:21: PG030: " + foo + "lookup handle needs a pool with one lock or none"},
		{"allocator: device; item: int32; limit: 1MiB; lookup: [index, handle]", "7:21: PG030: " + foo + "lookup handle needs ordering sync: a handle is refused as soon as its block is freed"},
		{"allocator: device; item: int32; limit: 1MiB; lookup: [index, handle]; ordering: sync", ""},
		{"allocator: device; item: int32; limit: 1MiB; lookup: index; device: each", "7:13: PG030"},
		{"allocator: device; item: int32; limit: 1MiB; lookup: index; on_exhausted: [driver, error]", "7:13: PG030"},
		{"alloc: a; free: b", "4:12: PG029; 5:11: PG029"},
		{"fallback: [pinned]", "4:15: PG029: " + foo + "fallback does not apply to allocator host"},
		{"c_header: true", "4:15: PG029: " + foo + "c_header does not apply to a pool without item"},
		{"item: Foo; c_header: true", ""},
		{"allocator: device; suballocator: heap; device_view: true", "6:18: PG029"},
		{"allocator: pinned; suballocator: bump; device_view: true", "6:18: PG029"},
		{"allocator: device; suballocator: bump; device_view: true", ""},
		{"allocator: device; suballocator: bump; device_view: bump", ""},
		{"allocator: device; suballocator: heap; device_view: false", ""},
		{"allocator: device; suballocator: heap; item: uint64; device_view: fixed", ""},
		{"allocator: device; suballocator: bump; item: uint64; device_view: fixed", ""},
		{"allocator: device; suballocator: heap; device_view: bump", "6:18: PG029: " + foo + "device_view bump does not apply to suballocator heap"},
		{"allocator: device; suballocator: heap; device_view: fixed", "6:18: PG029: " + foo + "device_view fixed does not apply to a pool without item"},
		{"allocator: device; item: uint64; device_view: fixed", "6:18: PG029: " + foo + "device_view does not apply to suballocator fixed"},
		{"allocator: pinned; suballocator: heap; item: uint64; device_view: fixed", "7:18: PG029: " + foo + "device_view does not apply to allocator pinned"},
		{"allocator: device; suballocator: heap; item: uint64; device_view: ring", "7:18: PG012: " + foo + "device_view \"ring\" is not known"},
		{"allocator: device; suballocator: bump; ordering: stream", "6:15: PG029: " + foo + "ordering does not apply to suballocator bump"},
		{"wait_timeout: 1s", "4:19: PG029: " + foo + "wait_timeout does not apply to on_exhausted without drain and wait"},
		{"concurrency: none; wait_timeout: 1s", "5:19: PG029: " + foo + "wait_timeout does not apply to concurrency none without streams"},
		{"per_bin: 5", `4:5: PG010: ` + foo + `unknown key "per_bin"`},
		{"wait_timeout: 1s; on_exhausted: [wait, error]", ""},
		{"allocator: device; wait_timeout: 1s", ""},

		// Numbers.
		{"allocator: none", ""},
		{"allocator: none; suballocator: fixed; limit: 100; soft_limit: 50", ""},
		{"allocator: none; item: int32; zero: never; alignment: 8; chunk_size: 1MiB; prime: 1; block_size: 1; budget: B",
			"5:11: PG029; 6:11: PG029; 7:16: PG029; 8:17: PG029; 9:12: PG029; 10:17: PG029; 11:13: PG029"},
		{"allocator: none; suballocator: none", "5:19: PG030"},
		{"allocator: none; limit: 4KiB", "5:12: PG015: " + foo + `limit "4KiB" is in bytes, and allocator none hands out numbers`},
		{"allocator: none; soft_limit: 4KiB", "5:17: PG015: " + foo + `soft_limit "4KiB" is in bytes, and allocator none hands out numbers`},
		{"allocator: none; min_split: 4KiB", "5:16: PG015: " + foo + `min_split "4KiB" is in bytes, and allocator none hands out numbers`},
		{"allocator: none; soft_limit: 4; min_split: 4", ""},
		{"allocator: none; ordering: stream", "5:15: PG031"},
		{"allocator: none; limit: 100; soft_limit: 200", "6:17: PG034: " + foo + "soft_limit 200 is above limit 100"},
		{"allocator: none; on_exhausted: [trim, error]", "5:20: PG040"},

		// Tiles.
		{"allocator: texture_tile", ""},
		{"allocator: texture_tile; suballocator: fixed", ""},
		{"allocator: texture_tile; suballocator: fixed; block_size: 128KiB", ""},
		{"allocator: texture_tile; suballocator: fixed; block_size: 100KiB", "6:17: PG044: " + foo + "block_size 100KiB is not a whole number of tiles of 64KiB"},
		{"allocator: texture_tile; suballocator: binned", ""},
		{"allocator: texture_tile; suballocator: classes", ""},
		{"allocator: texture_tile; suballocator: ring; arena_size: 100KiB", "6:17: PG045"},
		{"allocator: texture_tile; item: int32; zero: always; alignment: 64KiB", "5:11: PG029; 6:11: PG029; 7:16: PG029"},

		// Custom.
		{"allocator: custom; alloc: mapPages; free: unmapPages", ""},
		{"allocator: custom", "3:5: PG013: " + foo + "allocator custom needs alloc and free"},
		{"allocator: custom; alloc: a.b; free: 5", "5:12: PG049; 6:11: PG049"},
		{"allocator: custom; alloc: a; free: b; ordering: deferred", "7:15: PG031"},

		// Blocks.
		{"suballocator: fixed", "3:5: PG013: " + foo + "suballocator fixed needs an item or block_size"},
		{"suballocator: fixed; block_size: 100", ""},
		{"size: 4KiB", `4:5: PG010: ` + foo + `unknown key "size"`},
		{"arenas: 4KiB", `4:5: PG010: ` + foo + `unknown key "arenas"`},
		{"block_size: 4KiB", "4:17: PG029: " + foo + "block_size does not apply to suballocator heap"},
		{"item: float64; block_size: 4", "5:17: PG044: " + foo + "block_size 4B cannot hold an item of 8 bytes"},
		{"item: float64; block_size: 12", "5:17: PG044: " + foo + "block_size 12B is not a multiple of the item's alignment, 8"},
		{"item: Foo; block_size: 12", ""},
		{"item: float32; block_size: 100; alignment: 64", "5:17: PG044: " + foo + "block_size 100B is not a multiple of the alignment, 64B"},
		{"allocator: device; item: float32; block_size: 64", "6:17: PG044"},
		{"allocator: device; item: float32; block_size: 64; alignment: 64", ""},

		// Alignment.
		{"alignment: 0", "4:16: PG032: " + foo + "alignment 0 is not a power of two"},
		{"alignment: 48", "4:16: PG032"},
		{"alignment: 64B", ""},
		{"item: float64; alignment: 4", "5:16: PG032: " + foo + "alignment 4 is below that of the item, 8"},
		{"item: Foo; alignment: 1", ""},
		{"alignment: 16MiB", "4:16: PG032: " + foo + "alignment 16MiB is above the chunk, 8MiB"},
		{"item: float32; alignment: 16MiB", "5:16: PG032"},
		{"alignment: 16MiB; chunk_size: 16MiB", ""},
		{"chunk_size: 4KiB; alignment: 8KiB", "5:16: PG032"},

		// Chunks and limits.
		{"suballocator: fixed; block_size: 4KiB; chunk_size: 1KiB", "6:17: PG014: " + foo + "chunk_size 1KiB cannot hold one block of 4096 bytes"},
		{`item: "[1024]float64"; chunk_size: 4KiB`, "5:17: PG014: " + foo + "chunk_size 4KiB cannot hold one block of 8192 bytes"},
		{`item: "[1024]float64"; suballocator: heap; chunk_size: 4KiB`, "6:17: PG014: " + foo + "chunk_size 4KiB cannot hold one item of 8192 bytes"},
		{`item: "[1024]float64"; limit: 4KiB`, "5:12: PG033: " + foo + "limit 4KiB is below one chunk, which takes 8KiB to hold one block"},
		{"item: Foo; chunk_size: 1KiB", ""},
		{"chunk_size: 10000; limit: 10000", "5:12: PG033: " + foo + "limit 10KB is below one chunk of 12KiB"},
		{"limit: 10000", ""},
		{"limit: 64; chunk_size: 64B", "4:12: PG033: " + foo + "limit 64B is below the smallest chunk of allocator host, 4KiB"},
		{"limit: 4095", "4:12: PG033: " + foo + "limit 4095B is below the smallest chunk of allocator host, 4KiB"},
		{"allocator: device_virtual; limit: 1MiB", "5:12: PG033"},
		{"limit: 1GiB; chunk_size: 2GiB", "4:12: PG033"},
		{"limit: 1GiB; prime: 2GiB; soft_limit: 3GiB; trim: {keep: 4GiB}", "5:12: PG034; 6:17: PG034; 7:11: PG034"},
		{"limit: 1GiB; prime: 1GiB; soft_limit: 1GiB", ""},
		{"limit: 1GiB; max_limit: 2GiB; soft_limit: 2GiB; trim: {keep: 2GiB}", ""},
		{"limit: 1GiB; max_limit: 1GiB", ""},
		{"limit: 1GiB; max_limit: none; soft_limit: 3GiB", ""},
		{"max_limit: none", ""},
		{"limit: 2GiB; max_limit: 1GiB", "5:16: PG052: " + foo + "max_limit 1GiB is below limit 2GiB"},
		{"max_limit: 1GiB", "4:16: PG052: " + foo + "max_limit 1GiB is below limit none"},
		{"limit: 1GiB; max_limit: 2GiB; prime: 2GiB; soft_limit: 3GiB; trim: {keep: 4GiB}", "6:12: PG034; 7:17: PG034; 8:11: PG034"},
		{"limit: 1GiB; max_limit: 2GiB; soft_limit: 3GiB", "6:17: PG034: " + foo + "soft_limit 3GiB is above max_limit 2GiB"},
		{"allocator: none; limit: 100; max_limit: 200", ""},
		{"allocator: none; limit: 100; max_limit: 1KiB", "6:16: PG015"},
		{"lookup: index; item: int32; limit: 1MiB; max_limit: 2MiB; chunk_size: 1MiB", "4:13: PG030"},
		{"budget: Scene", `4:13: PG035: ` + foo + `budget "Scene" is not known`},

		// Sleep.
		{"allocator: device_virtual; suballocator: heap; sleep: {backing: staged, batch: 2MiB}", ""},
		{"allocator: device_virtual; suballocator: heap; sleep: {batch: 1MiB}", "6:20: PG015: " + foo + "batch 1MiB is below the smallest, 2MiB"},
		{"allocator: device_virtual; suballocator: heap; sleep: {budget: Host}", `6:21: PG035: ` + foo + `budget "Host" is not known`},
		{"allocator: device_virtual; suballocator: heap; sleep: {prime: true}", "6:12: PG034: " + foo + "sleep: prime obtains memory of the host for all that the pool may hold, and there is no limit"},
		{"allocator: device_virtual; suballocator: heap; limit: 1GiB; max_limit: none; sleep: {prime: true}", ""},
		{"allocator: device_virtual; suballocator: heap; sleep: {prime: maybe}", "6:20: PG016"},

		// Bins, arenas, splits.
		{"suballocator: binned", ""},
		{"suballocator: binned; bins: [16, 32, 1KiB]", ""},
		{"suballocator: binned; bins: []", "5:11: PG037"},
		{"suballocator: binned; bins: 64", "5:11: PG011"},
		{"suballocator: binned; bins: [64, 32]", "5:16: PG037"},
		{"suballocator: binned; bins: [64, 64]", "5:16: PG037"},
		{"suballocator: binned; bins: [17, 20]", "5:16: PG037: " + foo + "bins: 17B and 20B are both rounded up to 32B"},
		{"suballocator: binned; bins: [64, x]", "5:16: PG015"},
		{"suballocator: binned; bins: {min: 16, max: 1KiB}", ""},
		{"suballocator: binned; bins: {min: 16, max: 1KiB, growth: 1.25}", ""},
		{"suballocator: binned; bins: {min: 16, max: 1KiB, growth: 2}", "5:40: PG012"},
		{"suballocator: binned; bins: {min: 16}", "5:11: PG013: " + foo + "bins: max is missing"},
		{"suballocator: binned; bins: {min: 2KiB, max: 1KiB}", "5:28: PG037"},
		{"suballocator: binned; bins: {min: 1KiB, max: 128KiB}; chunk_size: 64KiB", "5:11: PG038"},
		{"suballocator: binned; bins: [128KiB]; chunk_size: 64KiB", "5:12: PG038"},
		{"suballocator: binned; bins: [32MiB]", ""},
		{"suballocator: classes; bins: {min: 1KiB, max: 1GiB, growth: 1.5}; cache: {per_bin: 4, bytes: none}", ""},
		{"suballocator: classes; cache: {per_bin: 1.5}", "5:22: PG016"},
		{"suballocator: ring; arena_size: 16MiB", ""},
		{"suballocator: ring; chunk_size: 1MiB; arena_size: 2MiB", "6:17: PG045"},
		{"suballocator: ring; item: float64; arena_size: 4", "6:17: PG045"},
		{"suballocator: ring; arena_size: 8", ""}, // rounded up to a granule
		{"chunk_size: 1MiB; min_split: 2MiB", "5:16: PG045"},

		// Ladder.
		{"on_exhausted: [error]", ""},
		{"on_exhausted: []", "4:19: PG039"},
		{"on_exhausted: error", "4:19: PG011"},
		{"on_exhausted: wait; wait_timeout: 2s", "4:19: PG011"},
		{"on_exhausted: [wait, retry]; wait_timeout: 2s", "4:26: PG012"},
		{"on_exhausted: [trim, wait]", ""},
		{"on_exhausted: [wait: 5s]", "4:20: PG011: " + foo + "a rung is a single value, and this is a block of keys"},
		{"on_exhausted: [trim, trim, error]", "4:26: PG039"},
		{"on_exhausted: [error, trim]", "4:20: PG039"},
		{"on_exhausted: [poll, error]", "4:20: PG040"},
		{"on_exhausted: [driver, error]", "4:20: PG040"},
		{"on_exhausted: [retry]", `4:20: PG012: ` + foo + `rung "retry" is not known`},
		{"on_exhausted: [pool: Bar]", "4:20: PG012"},
		{"on_exhausted: [pool:Name]", `4:20: PG041`},
		{"on_exhausted: [pool:]", `4:20: PG012`},
		{"on_exhausted: [pool:Foo]", "4:20: PG043: " + foo + "pools borrow in a circle: Foo -> Foo"},
		{"concurrency: none; on_exhausted: [wait, error]", "5:20: PG040"},
		{"allocator: pinned; concurrency: none; on_exhausted: [wait, error]", "6:20: PG040"},
		{"allocator: device; concurrency: none; on_exhausted: [poll, driver, wait, error]", ""},
		{"suballocator: none; on_exhausted: [trim]", "5:20: PG040"},

		// Devices.
		{"allocator: pinned; pinned_flags: [portable, mapped]; ordering: stream; device: each", ""},
		{"allocator: pinned; pinned_flags: write_combined", ""},
		{"allocator: pinned; pinned_flags: [maped]", "5:20: PG012"},
		{"allocator: pinned; pinned_flags: [mapped, mapped]", "5:28: PG012"},
		{"allocator: device; device: 2000", "5:13: PG016"},
		{"allocator: device; device: first", "5:13: PG012"},
		{"allocator: device; device: 1; peers: [0, 1]", "6:16: PG046"},
		{"allocator: device; peers: [2, 2]", "5:16: PG046"},
		{"allocator: device; peers: [x]", "5:13: PG016"},
		{"allocator: device; fallback: [device]", "5:16: PG048"},
		{"allocator: device; fallback: [host]", "5:16: PG048"},
		{"allocator: device_pool; fallback: [device_async, device]", ""},
		{"allocator: managed; fallback: [pinned, host]", ""},
		{"allocator: managed; fallback: [host, pinned]", "5:16: PG048"},
		{"allocator: managed; fallback: [texture_tile]", "5:16: PG012"},
		{"allocator: device_pool; shareable: true", ""},
		{"allocator: device_virtual; shareable: true", ""},
		{"allocator: device_pool; shareable: true; driver_pool: {handles: fabric}", "6:28: PG047"},
		{"allocator: device_pool; shareable: true; driver_pool: {source: default}", "5:16: PG047"},
		{"allocator: device_pool; driver_pool: {location: host_numa}", "5:29: PG013"},
		{"allocator: device_pool; driver_pool: {location: host_numa, numa: 1}", ""},
		{"allocator: device_pool; driver_pool: {numa: 1}", "5:25: PG047"},
		{"allocator: device_pool; driver_pool: {release_threshold: 2GiB, max_size: 1GiB}", "5:38: PG047"},
		{"allocator: device_pool; driver_pool: {reuse: {opportunistic: false}, set_current: true}", ""},
		{"allocator: device_pool; driver_pool: {reuse: {opportunistic: no}}", "5:42: PG016"},
		{"allocator: device_async; driver_pool: {location: host}", "5:29: PG047"},
		{"allocator: device_async; driver_pool: {}", "5:18: PG011"},
	} {
		judge(t, test.keys, test.want)
	}
}

// judge compares the findings for a pool with those expected, which "; " separates.
func judge(t *testing.T, keys, expected string) {
	t.Helper()
	_, found := check(t, poolFile(keys), "")
	want := strings.Split(expected, "; ")
	if expected == "" {
		want = nil
	}
	if !compare(t, found, want) {
		t.Logf("pool {%s}:\n%s", keys, found.Text(false))
	}
}
