package spec

// sizeCodes are about sizes that contradict each other.
var sizeCodes = []CodeInfo{
	{
		Code:  codeChunkBlock,
		Title: `chunk_size cannot hold one block`,
		Help:  `Blocks never span two chunks. The chunk size of the file counts as it stands, before it is rounded up.`,
		Bad:   vertex("suballocator: fixed", "block_size: 4KiB", "chunk_size: 1KiB"),
		Good:  vertex("suballocator: fixed", "block_size: 4KiB", "chunk_size: 64KiB"),
	},
	{
		Code:  codeAlignment,
		Title: `the alignment cannot be kept`,
		Help:  `An alignment is a power of two, at least that of the item, and at most the size of a chunk.`,
		Bad:   vertex("item: float32", "alignment: 48"),
		Good:  vertex("item: float32", "alignment: 64"),
	},
	{
		Code:  codeLimitChunk,
		Title: `limit is below one chunk`,
		Help:  `Memory is reserved in whole chunks, so the pool could never reserve any.`,
		Bad:   vertex("item: float32", "chunk_size: 8MiB", "limit: 4MiB"),
		Good:  vertex("item: float32", "chunk_size: 4MiB", "limit: 4MiB"),
	},
	{
		Code:  codeLimits,
		Title: `a size is above the limit`,
		Help:  `prime has a meaning only below limit, soft_limit and the part kept by trim only below max_limit, by default limit; what the pools of a budget reserve at creation has to fit in it.`,
		Bad:   vertex("item: float32", "limit: 16MiB", "prime: 32MiB"),
		Good:  vertex("item: float32", "limit: 64MiB", "prime: 32MiB"),
	},
	{
		Code:  codeMaxLimit,
		Title: `max_limit is below limit`,
		Help:  `max_limit is the largest limit that a running program may set, and the pool begins with limit.`,
		Bad:   vertex("item: float32", "limit: 64MiB", "max_limit: 16MiB"),
		Good:  vertex("item: float32", "limit: 16MiB", "max_limit: 64MiB"),
	},
	{
		Code:  codeBudget,
		Title: `the budget is not known`,
		Help:  `A pool names a budget of the same file.`,
		Bad:   file("budgets: [{name: Scene, limit: 1GiB}]", "pools: [{name: Vertex, item: float32, budget: Scen}]"),
		Good:  file("budgets: [{name: Scene, limit: 1GiB}]", "pools: [{name: Vertex, item: float32, budget: Scene}]"),
	},
	{
		Code:  codeBudgetChunk,
		Title: `the budget is below one chunk of a pool`,
		Help:  `The pool could never reserve its first chunk.`,
		Bad:   file("budgets: [{name: Scene, limit: 1MiB}]", "pools: [{name: Vertex, item: float32, budget: Scene, chunk_size: 2MiB}]"),
		Good:  file("budgets: [{name: Scene, limit: 1GiB}]", "pools: [{name: Vertex, item: float32, budget: Scene, chunk_size: 2MiB}]"),
	},
	{
		Code:  codeGuarantee,
		Title: `guarantees are above a limit`,
		Help:  `A pool can always have what is guaranteed to it. So its guarantee is at most its limit, and the guarantees of all pools of a budget together are at most the limit of the budget.`,
		Bad: `version: 1
budgets: [{name: Scene, limit: 1GiB}]
pools:
  - {name: Vertex, item: float32, budget: Scene, guarantee: 512MiB}
  - {name: Index, item: uint32, budget: Scene, guarantee: 768MiB}
`,
		Good: `version: 1
budgets: [{name: Scene, limit: 1GiB}]
pools:
  - {name: Vertex, item: float32, budget: Scene, guarantee: 256MiB}
  - {name: Index, item: uint32, budget: Scene, guarantee: 768MiB}
`,
	},
	{
		Code:  codeBins,
		Title: `the bins are malformed`,
		Help:  `Bins ascend, at most 255 of them. Their distance is growth or per_doubling, not both. Each is rounded up to a multiple of 16 bytes and of the alignment, and must differ from its neighbour after that.`,
		Bad:   vertex("suballocator: binned", "bins: [64B, 256B, 128B]"),
		Good:  vertex("suballocator: binned", "bins: [64B, 128B, 256B]"),
	},
	{
		Code:  codeBinChunk,
		Title: `the largest bin does not fit a chunk`,
		Help:  `Blocks of a bin are cut from slabs inside a chunk. Eight blocks to a chunk waste little.`,
		Bad:   vertex("suballocator: binned", "bins: [64B, 128KiB]", "chunk_size: 64KiB"),
		Good:  vertex("suballocator: binned", "bins: [64B, 128KiB]", "chunk_size: 1MiB"),
	},
	{
		Code:  codeBlockSize,
		Title: `block_size does not fit the item, the alignment or the tile`,
		Help:  `A block holds one item, begins at an aligned address like its neighbours, and consists of whole tiles for texture_tile.`,
		Bad:   vertex(`item: "[16]float64"`, "block_size: 64B"),
		Good:  vertex(`item: "[16]float64"`, "block_size: 128B"),
	},
	{
		Code:  codeParts,
		Title: `a part of a chunk is larger than the chunk`,
		Help:  `Arenas of a ring and split remainders of a heap lie within one chunk.`,
		Bad:   vertex("suballocator: ring", "chunk_size: 1MiB", "arena_size: 2MiB"),
		Good:  vertex("suballocator: ring", "chunk_size: 2MiB", "arena_size: 1MiB"),
	},
}
