package spec

// poolCodes are about keys and values of a pool that cannot be combined.
var poolCodes = []CodeInfo{
	{
		Code:  codeNotApplicable,
		Title: `the key does not apply to the pool`,
		Help:  `A key without effect would look as if it had one. In defaults such keys are skipped for the pools they do not apply to.`,
		Bad:   vertex("item: float32", "fit: best"),
		Good:  vertex("item: float32", "suballocator: heap", "fit: best"),
	},
	{
		Code:  codeCombination,
		Title: `two settings cannot go together`,
		Help: `Without an allocator there is nothing that suballocator none could pass requests to, and the idle time of trim has no meaning with when: growth. With ordering ` +
			`driver each block is an allocation of a memory pool of the driver, so it takes allocator device_pool or device_async, and suballocator none.`,
		Bad:  vertex("allocator: none", "suballocator: none"),
		Good: vertex("allocator: none", "suballocator: heap"),
	},
	{
		Code:  codeOrdering,
		Title: `there are no streams to order by`,
		Help:  `Only allocators of the CUDA driver know streams; others take ordering sync.`,
		Bad:   vertex("item: float32", "ordering: stream"),
		Good:  vertex("item: float32", "allocator: pinned", "ordering: stream"),
	},
	{
		Code:  codeLadder,
		Title: `the ladder is malformed`,
		Help:  `Each rung of on_exhausted may occur once, and error ends the ladder.`,
		Bad:   vertex("item: float32", "on_exhausted: [error, trim]"),
		Good:  vertex("item: float32", "on_exhausted: [trim, error]"),
	},
	{
		Code:  codeRungIdle,
		Title: `a rung can do nothing in this pool`,
		Help:  `poll reclaims pending frees whose streams have passed, driver asks the driver for memory, wait waits for another caller's free, trim returns empty chunks, and pool:Name borrows a block.`,
		Bad:   vertex("item: float32", "concurrency: none", "on_exhausted: [wait, error]"),
		Good:  vertex("item: float32", "concurrency: mutex", "on_exhausted: [wait, error]"),
	},
	{
		Code:  codeLender,
		Title: `the pool to borrow from is not known`,
		Help:  `The rung pool:Name names another pool of the same file.`,
		Bad:   vertex("item: float32", `on_exhausted: ["pool:Spare", error]`),
		Good:  file("pools:", "  - name: Vertex", "    item: float32", `    on_exhausted: ["pool:Spare", error]`, "  - {name: Spare, item: float32}"),
	},
	{
		Code:  codeLenderDiffers,
		Title: `the pool to borrow from hands out other blocks`,
		Help:  `Blocks of the lender have to be of the same type, form and kind of memory, and at least as aligned; and the lender must be safe to call wherever the borrower is.`,
		Bad:   file("pools:", "  - name: Vertex", "    item: float32", `    on_exhausted: ["pool:Spare", error]`, "  - {name: Spare, item: float64}"),
		Good:  file("pools:", "  - name: Vertex", "    item: float32", `    on_exhausted: ["pool:Spare", error]`, "  - {name: Spare, item: float32}"),
	},
	{
		Code:  codeCircle,
		Title: `pools borrow from each other in a circle`,
		Help:  `An allocation would go around the circle of exhausted pools forever.`,
		Bad:   file("pools:", `  - {name: A, item: int32, on_exhausted: ["pool:B", error]}`, `  - {name: B, item: int32, on_exhausted: ["pool:A", error]}`),
		Good:  file("pools:", `  - {name: A, item: int32, on_exhausted: ["pool:B", error]}`, "  - {name: B, item: int32}"),
	},
	{
		Code:  codeDevice,
		Title: `peers are malformed`,
		Help:  `Peers are other devices than the pool's own, each once.`,
		Bad:   vertex("item: float32", "allocator: device", "device: 0", "peers: [0, 1]"),
		Good:  vertex("item: float32", "allocator: device", "device: 0", "peers: [1]"),
	},
	{
		Code:  codeDriverPool,
		Title: `the settings of the driver pool contradict each other`,
		Help:  `Properties such as location and handles are fixed when the driver creates a pool; the default pool exists already.`,
		Bad:   vertex("item: float32", "allocator: device_async", "driver_pool: {max_size: 1GiB}"),
		Good:  vertex("item: float32", "allocator: device_async", "driver_pool: {source: custom, max_size: 1GiB}"),
	},
	{
		Code:  codeFallback,
		Title: `the fallback cannot stand in`,
		Help:  `A fallback hands out the same Go types: memory the CPU can use for pinned and managed, device memory for the others. Nothing comes after host, which always works.`,
		Bad:   vertex("item: float32", "allocator: pinned", "fallback: [host, managed]"),
		Good:  vertex("item: float32", "allocator: pinned", "fallback: [managed, host]"),
	},
	{
		Code:  codeAllocators,
		Title: `the listed allocators hand out different blocks`,
		Help: `A program chooses from the list when it makes a pool, and the Go types of the pool stay: device, device_async, device_pool and device_virtual go together, and so do ` +
			`host, pinned, managed and custom. Each is listed once.`,
		Bad:  vertex("item: float32", "allocator: [device, pinned]"),
		Good: vertex("item: float32", "allocator: [device, device_pool]"),
	},
}
