package spec

// Word is a value that is chosen by its name.
type Word struct{ Word, Meaning string } // the meaning is Markdown

// Words explains the values of a key that are chosen by their names.
func (k *Key) Words() []Word {
	if k.Section == PoolSection {
		return words[k.Name]
	}
	return words[string(k.Section)+"."+k.Name]
}

// words has the meanings of words by key. Keys inside of others are listed with their section.
var words = map[string][]Word{
	"allocator": {
		{"host", "memory of the process, mapped outside of the Go heap; `*T` and `[]T`. Needs no cgo and no driver"},
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
	"suballocator": func() (list []Word) {
		for _, s := range suballocatorTable {
			list = append(list, Word{string(s.Name), s.Words})
		}
		return list
	}(),
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
		{"drain", "wait as long as frees are pending on streams and the pool could hold the request in addition to its live blocks, for at most `wait_timeout`. If nothing is pending it does not wait"},
		{"wait", "wait until a block is freed, or a stream has passed a free, for at most `wait_timeout`"},
		{"driver", "take the block directly from the driver, as an allocation of its own, within limit and budget, which is returned when it is freed: for what no chunk can hold, or where there is room for the block but not for a chunk"},
		{"pool:Name", "take a block of another pool of the file, on the same device, which tries what its own `on_exhausted` says, `wait` included. The block is a live block of that pool, whose `Stats` and `Close` count it, and not those of this one; its free goes back there"},
		{"error", "fail. It ends the ladder, even if it is left out"},
	},
	"lookup": {
		{"address", "`FindFoo(addr)` returns the live block that starts at an address, with its length, or an error. `FreeFooAt(addr)` frees it. For blocks with a length, `UsableFoo(addr)` returns the length, and `ResizeFoo(block, n)` changes it, on the host: in place if there is room. `FooSpanAt(addr, n)` makes a `FooSpan` of a device without a check. Costs a lock and a look-up; the fast path pays nothing"},
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
	"exports": {
		{"c", "functions of C, in poolgen.h: see [other-languages.md](other-languages.md)"},
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
	"trim.when": {
		{"free", "as soon as chunks are empty, or have been for the time of `idle`"},
		{"growth", "only when the pool would otherwise hold more than it ever did, and then as many bytes as that would be more: chunks of the wrong size make way for one of the right size"},
	},
	"driver_pool.source": {
		{"default", "that of the device, which the whole process shares"}, {"custom", "one made for this pool"},
	},
	"driver_pool.type": {
		{"pinned", "memory that stays where `location` says"}, {"managed", "memory that the driver moves between host and devices"},
	},
	"driver_pool.location": {
		{"device", "on the device of the pool"}, {"host", "on the host"}, {"host_numa", "on the NUMA node that `numa` names"},
	},
	"driver_pool.handles": {
		{"none", "not at all"}, {"fd", "by file descriptor, for `shareable` pools"}, {"win32", "by handle, for programs on Windows"}, {"fabric", "by a handle of the fabric that connects devices"},
	},
}
