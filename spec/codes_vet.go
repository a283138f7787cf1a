package spec

// Codes of findings of poolgen vet in Go code that uses pools.
const (
	CodeLeak          Code = "PG101"
	CodeUseAfterFree  Code = "PG102"
	CodeDoubleFree    Code = "PG103"
	CodeWrongPool     Code = "PG104"
	CodeFreePart      Code = "PG105"
	CodeFreeDropped   Code = "PG106"
	CodeUseAfterReset Code = "PG107"
	CodeFreeBusy      Code = "PG108"
	CodeNotPinned     Code = "PG109"
	CodeItemPointers  Code = "PG110"
	CodePoolCopied    Code = "PG111"
	CodeHostPointer   Code = "PG112"
	CodeConfined      Code = "PG113"
	CodeIgnore        Code = "PG114"
	CodeIgnoreUnused  Code = "PG115"
)

// vetCodes are found in Go code. Their examples are parts of a Go file that uses the pools named in them.
var vetCodes = []CodeInfo{
	{
		Code:  CodeLeak,
		Title: "a block is not freed on every path",
		Fix:   "free it on that path as well; outside of loops, defer the free right after checking the error of the allocation",
		Help: "A block that is neither freed, returned, stored nor handed on when its function returns stays live as long as the pool exists: no code\n" +
			"can free it any more. Most often the free is missing on a return after an error. Free the block there, or defer the free.\n" +
			"A deferred free runs at the end of the function: in a loop, free the block before each continue, or move the body of the loop into a function.\n\n" +
			"A batch counts as one block. It is not reported if the function frees or hands on single blocks of the batch.\n\n" +
			"Not reported are a block that is passed to an unknown function, unless the block is that of a Ref and the function releases a Ref; a block\n" +
			"that is stored, sent, or used in a closure that does more than read it; a block whose address, index or handle was stored, returned, passed\n" +
			"on, compared, computed with, assigned to another variable or used in a loop; a block whose error is kept elsewhere than in a variable of the\n" +
			"function; blocks in func main, whose end is that of all blocks; and blocks of a pool that the function ends with CloseForce. A test that\n" +
			"discards the block and checks only the error is assumed to expect that error, and so is a function that gets all results of the allocation,\n" +
			"as in expectError(AllocFoo()).\n\n" +
			"If the package calls Reset of a heap, binned or classes pool, blocks of that pool are not reported either: a Reset of the default pool stands\n" +
			"for blocks of the default pool, one of a pool that a function made for blocks of that pool, and one in a test or in a function that only tests\n" +
			"mention for blocks of tests. A Reset in an unexported function that nothing mentions does not count.",
		Bad:  "func load() error {\n\tv, err := AllocVertex()\n\tif err != nil {\n\t\treturn err\n\t}\n\tif v.X == 0 {\n\t\treturn errEmpty\n\t}\n\treturn FreeVertex(v)\n}\n",
		Good: "func load() error {\n\tv, err := AllocVertex()\n\tif err != nil {\n\t\treturn err\n\t}\n\tdefer FreeVertex(v)\n\tif v.X == 0 {\n\t\treturn errEmpty\n\t}\n\treturn nil\n}\n",
		Vet:  true,
	},
	{
		Code:  CodeUseAfterFree,
		Title: "a block is used after it was freed",
		Fix:   "let no use follow the free: move the free, wait for goroutines first, and copy what must outlive With",
		Help: "Once it is freed, a block may be handed out again, to any goroutine. A read may see the data of the new owner, and a write destroys them.\n\n" +
			"A return and a send on a channel are uses, and so is a goroutine that was not waited for. With frees its block when the function that With\n" +
			"calls returns: the block must not be kept, and goroutines that use the block must have ended. A block in a package variable is reported\n" +
			"if nothing that follows may assign the variable; tests may keep blocks to compare them.\n\n" +
			"Comparing a freed pointer, taking its length and comparing its address as a number are not uses. A block whose free failed may be used.",
		Bad:  "func sum(v *Vertex) (float32, error) {\n\terr := FreeVertex(v)\n\treturn v.X + v.Y, err\n}\n",
		Good: "func sum(v *Vertex) (float32, error) {\n\ts := v.X + v.Y\n\treturn s, FreeVertex(v)\n}\n",
		Vet:  true,
	},
	{
		Code:  CodeDoubleFree,
		Title: "a block is freed twice",
		Fix:   "remove one of the two frees",
		Help: "The pool refuses the second free, unless the block has been handed out again: then its new owner loses it. A deferred free\n" +
			"counts, too, as does a free in a goroutine, a closure or the Cleanup of a test. A function that is called by With must not free its block.\n" +
			"The second Release of a Ref is reported unless its error is dropped.\n\n" +
			"A function that names an error of refused frees, such as poolrt.ErrDoubleFree, expects one; in tests, a second free whose error is checked\n" +
			"is taken for a test of the refusal, unless an error fails the test.",
		Bad:  "func drop(v *Vertex) error {\n\tdefer FreeVertex(v)\n\tif v.X == 0 {\n\t\treturn FreeVertex(v)\n\t}\n\treturn nil\n}\n",
		Good: "func drop(v *Vertex) error {\n\tdefer FreeVertex(v)\n\tif v.X == 0 {\n\t\treturn errEmpty\n\t}\n\treturn nil\n}\n",
		Vet:  true,
	},
	{
		Code:  CodeWrongPool,
		Title: "a block is given to another pool than the one it came from",
		Fix:   "call the Free of the pool that it came from",
		Help: "Two pools of the same item type hand out the same Go type, so the compiler does not see it. The pool refuses the block, and it\n" +
			"stays in use in its own.\n\n" +
			"If a block may come from either of two pools and the function calls the Free of both, nothing is reported.\n\n" +
			"Pools are distinguished by their declarations in generated code. Whether two variables of one pool type hold the same pool is not known.",
		Bad:  "func build() error {\n\tv, err := AllocVertex()\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn FreeCorner(v)\n}\n",
		Good: "func build() error {\n\tv, err := AllocVertex()\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn FreeVertex(v)\n}\n",
		Vet:  true,
	},
	{
		Code:  CodeFreePart,
		Title: "a part of a block is freed",
		Fix:   "free it as it was handed out, a slice b as b[:cap(b)]",
		Help:  "A block must be freed as it was handed out: from the same start, with the same length. The pool refuses a part of it, and an address inside it.",
		Bad:   "func read(src []byte) error {\n\tb, err := AllocText(64)\n\tif err != nil {\n\t\treturn err\n\t}\n\tn := copy(b, src)\n\tb = b[:n]\n\treturn FreeText(b)\n}\n",
		Good:  "func read(src []byte) error {\n\tb, err := AllocText(64)\n\tif err != nil {\n\t\treturn err\n\t}\n\tcopy(b, src)\n\treturn FreeText(b)\n}\n",
		Vet:   true,
	},
	{
		Code:  CodeFreeDropped,
		Title: "the error of a free is dropped",
		Fix:   "return or log the error, or write _ = in front if it cannot matter",
		Help: "That error is the only report of a double or wrong free. Return it, log it, or write\n" +
			"_ = FreeFoo(b) if it cannot matter: that is visibly deliberate. defer FreeFoo(b) is accepted, as a deferred Close is in Go.",
		Bad:  "func end(v *Vertex) {\n\tFreeVertex(v)\n}\n",
		Good: "func end(v *Vertex) error {\n\treturn FreeVertex(v)\n}\n",
		Vet:  true,
	},
	{
		Code:  CodeUseAfterReset,
		Title: "a block is used after its pool was reset or released",
		Fix:   "move the reset after the last use, or copy what is needed later",
		Help: "Reset frees all blocks of a pool, Release those handed out since the mark. The next allocations get the same memory. The Reset of a\n" +
			"ring fails while blocks are live: there, the block has to be freed first.\n\n" +
			"A use is reported if both are in one function, and the pool is certainly the same: the package's, or one variable. A Release counts if its mark\n" +
			"was made in the function.",
		Bad:  "func frame(p *ScratchPool) (byte, error) {\n\tb, err := p.Alloc(64)\n\tif err != nil {\n\t\treturn 0, err\n\t}\n\terr = p.Reset()\n\treturn b[0], err\n}\n",
		Good: "func frame(p *ScratchPool) (byte, error) {\n\tb, err := p.Alloc(64)\n\tif err != nil {\n\t\treturn 0, err\n\t}\n\tfirst := b[0]\n\treturn first, p.Reset()\n}\n",
		Vet:  true,
	},
	{
		Code:  CodeFreeBusy,
		Title: "a block is freed while a stream may still be using it",
		Fix:   "free it on that stream, or wait for the stream first",
		Help: "FreeFoo says that no work is pending: the block can be handed out at once for any use, while a kernel or copy still uses it. After work on a\n" +
			"stream, free it with FreeFooOn or FreeFooAsync and that stream, or wait for the stream first.\n\n" +
			"Work is a kernel's launch with the block's address, a clear, a copy between blocks, and a copy between a block and memory of a pinned pool,\n" +
			"also by functions of package cuda such as MemsetAsync. A call that fails has given the stream no work.\n" +
			"Any call of an unknown function may wait for the stream, and a copy of other Go memory does wait: after such a call, nothing is reported.\n\n" +
			"With frees its block in this way, too: the function that With calls has to wait for the stream before it returns.",
		Bad:  "func clearAll(s cuda.Stream) error {\n\tb, err := AllocBatch(1024)\n\tif err != nil {\n\t\treturn err\n\t}\n\terr = ZeroBatch(b, s)\n\treturn errors.Join(err, FreeBatch(b))\n}\n",
		Good: "func clearAll(s cuda.Stream) error {\n\tb, err := AllocBatch(1024)\n\tif err != nil {\n\t\treturn err\n\t}\n\terr = ZeroBatch(b, s)\n\treturn errors.Join(err, FreeBatchOn(b, s))\n}\n",
		Vet:  true,
	},
	{
		Code:  CodeNotPinned,
		Title: "an asynchronous copy of memory that no pinned pool owns",
		Fix:   "take the memory from a pool of allocator: pinned, or call the copy that waits",
		Help: "The driver copies memory of the Go heap through a buffer of its own, and the call waits until the stream has done the copy; in a stream that is\n" +
			"being captured it fails. Take the memory from a pool of allocator pinned, or call the copy that is documented to wait.",
		Bad:  "func upload(dst cuda.DevicePtr, s cuda.Stream) error {\n\tsrc := make([]byte, 1024)\n\treturn cuda.CopyToDeviceAsync(dst, src, s)\n}\n",
		Good: "func upload(dst cuda.DevicePtr, s cuda.Stream) error {\n\tsrc := make([]byte, 1024)\n\treturn cuda.CopyToDevice(dst, src)\n}\n",
		Vet:  true,
	},
	{
		Code:  CodeItemPointers,
		Title: "the item of a pool has a pointer inside",
		Fix:   "keep an index instead, or text in an array of fixed length: [32]byte",
		Help: "The garbage collector does not look into the memory of a pool: an object that only a block points to is collected while it is in use. A string, a slice, a\n" +
			"map, a channel, a function and an interface are pointers. Keep an index, or an array of fixed length.",
		Bad:  "type Label struct {\n\tText string\n}\n",
		Good: "type Label struct {\n\tText [32]byte\n}\n",
		Vet:  true,
	},
	{
		Code:  CodePoolCopied,
		Title: "a pool is copied",
		Fix:   "pass a pointer to the pool",
		Help:  "A pool contains its lists of free blocks and its lock. A copy hands out the same blocks again. Pass a pointer to the pool.",
		Bad:   "func stats(p VertexPool) int64 {\n\treturn p.Stats().Live\n}\n",
		Good:  "func stats(p *VertexPool) int64 {\n\treturn p.Stats().Live\n}\n",
		Vet:   true,
	},
	{
		Code:  CodeHostPointer,
		Title: "a pointer of the host instead of the address of device memory",
		Fix:   "pass the address of a block on the device: b.Addr(), or cuda.AddressOf for managed memory",
		Help: "A kernel gets addresses as numbers. A Go pointer or slice among its arguments is refused or, as a number, names memory that the device cannot\n" +
			"reach. Pass the address of a block on the device, b.Addr(); for managed memory cuda.AddressOf.",
		Bad:  "func run(k cuda.Kernel, c cuda.Config, data []float32) error {\n\treturn k.Launch(c, &data[0], uint64(len(data)))\n}\n",
		Good: "func run(k cuda.Kernel, c cuda.Config, data BatchSpan) error {\n\treturn k.Launch(c, data.Addr(), uint64(data.Len()))\n}\n",
		Vet:  true,
	},
	{
		Code:  CodeConfined,
		Title: "a pool for one goroutine is used by several",
		Fix:   "set concurrency: mutex in the pool file, or give each goroutine a pool of its own",
		Help: "A pool of concurrency none has no lock: two goroutines that allocate at the same time may get the same block. Set concurrency: mutex, give each\n" +
			"goroutine a pool of its own, or hand the pool over: wait for the goroutine before it is used again.\n\n" +
			"Add and Done of a WaitGroup, and the tick of a ticker, hand nothing over.",
		Bad:  "func both(p *ScratchPool) {\n\tgo func() {\n\t\t_ = p.Poll()\n\t}()\n\t_ = p.Poll()\n}\n",
		Good: "func both(p *ScratchPool) {\n\tgo func() {\n\t\t_ = p.Poll()\n\t}()\n}\n",
		Vet:  true,
	},
	{
		Code:  CodeIgnore,
		Title: "a poolgen:ignore without a valid code or a reason",
		Fix:   "write //poolgen:ignore CODE and the reason",
		Help: "//poolgen:ignore CODE reason, at the end of the line of a finding or on the line before, silences that code there. The code must be one of those of poolgen\n" +
			"vet, and the reason is required: the next reader needs it.",
		Bad:  "func end(v *Vertex) {\n\t_ = FreeVertex(v) //poolgen:ignore PG106\n}\n",
		Good: "func end(v *Vertex) {\n\tFreeVertex(v) //poolgen:ignore PG106 the process ends here\n}\n",
		Vet:  true,
	},
	{
		Code:  CodeIgnoreUnused,
		Title: "a poolgen:ignore that silences nothing",
		Fix:   "remove the directive",
		Help:  "There is no such finding at this line, or no longer. Remove the directive: it could hide a later finding.",
		Bad:   "func end(v *Vertex) error {\n\treturn FreeVertex(v) //poolgen:ignore PG106 the process ends here\n}\n",
		Good:  "func end(v *Vertex) error {\n\treturn FreeVertex(v)\n}\n",
		Vet:   true,
	},
}
