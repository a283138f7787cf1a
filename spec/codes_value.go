package spec

// valueCodes are about the form of single values.
var valueCodes = []CodeInfo{
	{
		Code:  codeUnknownKey,
		Title: `the key is not known`,
		Help:  `A misspelt key would otherwise be ignored, and the pool would work with a default.`,
		Bad:   vertex("item: float32", "chunk_sise: 2MiB"),
		Good:  vertex("item: float32", "chunk_size: 2MiB"),
	},
	{
		Code:  codeKind,
		Title: `the value has the wrong form`,
		Help:  `Some keys take a single value, some a list in brackets, some a block of further keys.`,
		Bad:   vertex("item: float32", "on_exhausted: error"),
		Good:  vertex("item: float32", "on_exhausted: [error]"),
	},
	{
		Code:  codeUnknownValue,
		Title: `the value is not one of the legal ones`,
		Help:  `The message lists the legal values; poolgen explain tells what each means.`,
		Bad:   vertex("item: float32", "allocator: pined"),
		Good:  vertex("item: float32", "allocator: pinned"),
	},
	{
		Code:  codeMissing,
		Title: `a required key is missing`,
		Help:  `The key has no default that could be right.`,
		Bad:   vertex("suballocator: fixed"),
		Good:  vertex("suballocator: fixed", "block_size: 4KiB"),
	},
	{
		Code:  codeSize,
		Title: `the size is malformed`,
		Help:  `A size is a decimal integer without leading zero (bytes), or a decimal number directly followed by B, KB, MB, GB, TB (powers of 1000) or KiB, MiB, GiB, TiB (powers of 1024). Case matters. A fraction needs a unit and must give whole bytes.`,
		Bad:   vertex("item: float32", "chunk_size: 64 kib"),
		Good:  vertex("item: float32", "chunk_size: 64KiB"),
	},
	{
		Code:  codeNumber,
		Title: `the number, duration or boolean is malformed`,
		Help:  `Numbers are decimal, durations carry their unit (250ms), and booleans are true or false.`,
		Bad:   vertex("item: float32", "tests: yes"),
		Good:  vertex("item: float32", "tests: true"),
	},
	{
		Code:  codeDoc,
		Title: `the documentation holds characters that are not text`,
		Help:  `doc becomes a comment in the generated code, where nothing may hide.`,
		Bad: `version: 1
pools:
  - name: Vertex
    item: float32
    doc: "bell \a"
`,
		Good: vertex("item: float32", "doc: bell"),
	},
	{
		Code:  codeItem,
		Title: `the item is not a type that pools can hold`,
		Help:  `An item is a builtin, a named type of the output package or of an import, or an array of one. The type is written by its name, so structs and generic instances have to be declared in Go.`,
		Bad:   vertex("item: struct{x, y float32}"),
		Good:  vertex("item: Point"),
	},
	{
		Code:  codePointers,
		Title: `the item holds pointers`,
		Help:  `The garbage collector does not look into the memory of pools: an object that only a block points to would be freed while it is in use.`,
		Bad:   vertex("item: string"),
		Good:  vertex(`item: "[32]byte"`),
	},
	{
		Code:  codeQualifier,
		Title: `the package of the item is not imported`,
		Help:  `Generation loads no packages, so the file has to say which import path a qualifier stands for.`,
		Bad:   vertex("item: mesh.Vertex"),
		Good:  file("imports: {mesh: example.com/app/mesh}", "pools:", "  - name: Vertex", "    item: mesh.Vertex"),
	},
	{
		Code:  codeFunction,
		Title: `alloc and free are not the names of two functions`,
		Help:  `allocator custom calls two functions of the output package by their bare names: one returns memory, the other takes it back.`,
		Bad:   vertex("item: float32", "allocator: custom", "alloc: mem.Map", "free: unmapPages"),
		Good:  vertex("item: float32", "allocator: custom", "alloc: mapPages", "free: unmapPages"),
	},
}
