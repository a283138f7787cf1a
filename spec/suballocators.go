package spec

// Suballocator is how the chunks of a pool are divided into blocks.
type Suballocator string

const (
	Fixed          Suballocator = "fixed"
	Heap           Suballocator = "heap"
	Binned         Suballocator = "binned"
	Classes        Suballocator = "classes"
	Ring           Suballocator = "ring"
	Bump           Suballocator = "bump"
	NoSuballocator Suballocator = "none"
)

// SuballocatorInfo is all that the language, the compiler, the documentation of its output and other commands need to know about a suballocator.
// Only its template knows how it works.
type SuballocatorInfo struct {
	Name     Suballocator
	Words    string // its purpose, as in the reference
	Template string // its package below templates
	// Sharded is the template that replaces Template if goroutines do not take the pool's lock. If it is empty, each processor has a Template of its
	// own, behind package shards, and package slabs is in front of that if it pays for small sizes. A suballocator that gets each block directly from
	// the allocator needs neither.
	Sharded string
	// ByDriver is the template that replaces Template if the driver orders each block with streams; empty if it cannot.
	ByDriver string
	OneSize  bool // all blocks have one size, and a call hands out one of them: item form
	Order    FreeOrder
	Heap     bool       // neighbouring free blocks merge into ranges, one of which is chosen for a request: a fit, a granule of at most 2 GiB, pages
	Bins     *UsualBins // its own sizes of blocks; nil: none
	Cache    bool       // keeps freed blocks for requests of their size, with a bound if the file sets one
	Arenas   bool       // it divides chunks into parts that are reused as a whole
	Large    bool       // a request above the chunk size gets a chunk of its own
	Direct   bool       // each block is an allocation of the allocator: there are no chunks to divide
	Marks    bool       // in a pool without a lock, blocks can be freed back to a mark
	Cost     string     // cost of one allocation, if it is more than constant time
}

// FreeOrder is the order in which blocks may be freed.
type FreeOrder string

const (
	AnyOrder  FreeOrder = "any order"
	InOrder   FreeOrder = "oldest first" // roughly: a long-lived block keeps the space of later blocks from being reused
	AllAtOnce FreeOrder = "all at once"
)

// UsualBins are the bins of a suballocator if the file sets none: the powers of two from Least to Most bytes.
type UsualBins struct {
	Least, Most int64
	InChunks    bool // a block of any bin is cut off a chunk of the usual size
}

// suballocatorTable holds the suballocators that pool files may name, in the order of the reference.
var suballocatorTable = []SuballocatorInfo{
	{Name: Fixed, Template: "fixed", Sharded: "strict", OneSize: true, Order: AnyOrder,
		Words: "one item a call, all blocks of one size, in constant time"},
	{Name: Heap, Template: "heap", Order: AnyOrder, Heap: true, Large: true,
		Words: "any number of items; `fit` says which free range is taken; free neighbours merge at once"},
	{Name: Binned, Template: "binned", Order: AnyOrder, Heap: true, Large: true, Bins: &UsualBins{Least: 16, Most: 4 << 10, InChunks: true},
		Words: "small sizes from bins, the rest from a heap"},
	{Name: Classes, Template: "classes", Order: AnyOrder, Heap: true, Large: true, Bins: &UsualBins{Least: 512, Most: 2 << 30}, Cache: true,
		Words: "size classes; freed blocks are cached for their class"},
	{Name: Ring, Template: "ring", Order: InOrder, Arenas: true,
		Words: "temporaries that are freed roughly in the order they were allocated"},
	{Name: Bump, Template: "bump", Sharded: "strips", Order: AllAtOnce, Marks: true,
		Words: "no single frees: all at once by `Reset` or, with `concurrency: none`, back to a mark"},
	{Name: NoSuballocator, Template: "direct", ByDriver: "bydriver", Order: AnyOrder, Large: true, Direct: true, Cost: "a call of the allocator",
		Words: "each block is an allocation of the allocator, counted, limited and checked"},
}

// Suballocators lists the suballocators that pool files may name, in the order of the reference.
func Suballocators() []Suballocator {
	return suballocatorsWith(func(*SuballocatorInfo) bool { return true })
}

// suballocatorsWith lists the suballocators of a kind.
func suballocatorsWith(is func(*SuballocatorInfo) bool) (list []Suballocator) {
	for i := range suballocatorTable {
		if info := &suballocatorTable[i]; is(info) {
			list = append(list, info.Name)
		}
	}
	return list
}

// Info returns the description of a suballocator; it is empty if there is no such suballocator.
func (s Suballocator) Info() SuballocatorInfo {
	for i := range suballocatorTable {
		if suballocatorTable[i].Name == s {
			return suballocatorTable[i]
		}
	}
	return SuballocatorInfo{}
}

// binsInChunks reports whether the largest bin has to fit a chunk.
func (s SuballocatorInfo) binsInChunks() bool { return s.Bins != nil && s.Bins.InChunks }

// ItemForm reports whether the pool hands out single blocks (AllocFoo() (*T, error)) rather than
// spans (AllocFoo(n) ([]T, error)).
func (p *Pool) ItemForm() bool { return p.Suballocator.Info().OneSize }

// Frees reports whether blocks are freed one by one.
func (p *Pool) Frees() bool { return p.Suballocator.Info().Order != AllAtOnce }

// Resets reports whether all blocks can be freed at once.
func (p *Pool) Resets() bool { return p.Suballocator.Info().Order != AnyOrder || p.Drops() }

// Drops reports whether live blocks can be freed all at once although blocks are also freed one by one.
func (p *Pool) Drops() bool { return p.Suballocator.Info().Heap }

// Marks reports whether blocks can be freed back to a mark.
func (p *Pool) Marks() bool { return p.Suballocator.Info().Marks && p.Concurrency == Unlocked }

// Shared reports whether goroutines use the pool concurrently without a lock of the whole pool.
func (p *Pool) Shared() bool { return p.Concurrency == Sharded && !p.Suballocator.Info().Direct }

// Paged reports whether the pool obtains and returns memory by pages of one range of addresses: its suballocator is a heap, or builds on one,
// and an allocator that it may have reserves addresses. A library registers whole chunks.
func (p *Pool) Paged() bool {
	return p.May(DeviceVirtual) && !p.Registered && p.Suballocator.Info().Heap
}

// pagesMove reports whether free pages can be unmapped to make room for others. What other processes may share stays mapped.
func (p *Pool) pagesMove() bool { return p.Paged() && !p.Shareable }
