// Package lower decides everything about the output of a pool file: which templates make up each pool and with what parameters, which pools share a
// suballocator, all sizes, and all names. Plan turns a checked plan into a Package; package compile specialises the templates as the Package says,
// and package facade prints the API that it describes. These two decide nothing but the wording of comments.
//
//	spec.Plan -> Plan -> Package
//	                       Cores    suballocators, each for all pools with the same parameters    cores.go
//	                       Pools    sizes                                                         size.go, pools.go
//	                                parameters of templates                                       settings.go, shells.go
//	                                names of declarations, types and files                        names.go, files.go
//	 description for the engine config.go, binder.go, literal.go
//	 requests of its tests trial.go
package lower

import (
	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/templates/specialize"
)

// Package is the output of one pool file. It does not change after Plan has returned it.
type Package struct {
	Plan    *spec.Plan
	Budgets []Budget          // in the order of the pool file
	Cores   []*Core           // in the order of the first pool with each
	Pools   []*Pool           // in the order of the pool file
	Taken   map[string]string // names that hand-written files of the directory declare, and their places
}

// Budget is a limit that pools share.
type Budget struct {
	Spec *spec.Budget
	Var  string // variable of the budget: "sceneBudget"
}

// Core is a suballocator in the output. All pools with equal parameters share it. It is named after the first of them. A change of a pool therefore
// changes the code of other pools only if they share its core.
type Core struct {
	Type     string   // "vertexCore"
	File     string   // "vertex_core.go"
	Stride   string   // constant with the distance of blocks; "" if blocks have many sizes
	Mark     string   // type of its marks; "" if it has none
	Imported bool     // the output has the fast path, and imports the rest
	Layers   []string // templates of which each stands in front of the next: "shards", "heap"
	Instance specialize.Instance
	Pools    []*Pool // in the order of the pool file
}

// Pool is one pool of the output. Sizes are in bytes; for pools of numbers, in numbers. Names, Files, Item, Can and Trial are printed; Instance and
// Config are made from the other fields.
type Pool struct {
	Spec       *spec.Pool // of the pool file
	Core       *Core
	Names      Names
	Files      Files
	Item       Item
	Can        Can
	Stride     Size    // distance of blocks of one size: the item, rounded up to the alignment
	Chunk      Size    // bytes that are reserved at a time; zero for numbers
	MaxChunk   Size    // the largest that the suballocator can index; zero if no chunk becomes that large
	OneChunk   bool    // the limit leaves no room for a second chunk
	Granule    int64   // unit of blocks of many sizes
	Budget     *Budget // that it shares; nil if it shares none
	PerWord    int     // blocks of one size per word of a bitmap, if goroutines take no lock
	Slabs      []int64 // sizes served from slabs, ascending
	PreferUsed bool    // large chunks are kept for large requests
	Lends      bool    // other pools borrow from it
	Default    bool    // the package has a pool: for package functions, or as a lender
	Instance   specialize.Instance
	Over       string  // import path of the template that the suballocator replaces in the instance
	Config     Literal // runtime.Config
	Trial      Trial   // for the generated tests; none without them
}

// Item is what requests count: the type that the pool is for, or a byte.
type Item struct {
	Size     Size // of the content of a block in item form, otherwise of an item
	Declared bool // the output declares the type, an array of bytes, because the pool file names none
	Plain    Type // the type as the pool file writes it, or the declared one
	// The type as each kind of file writes it: suballocators and shells, the API, tests. Each kind has other names of its own.
	Core, API, Tests Type
}

// Type is the type of an item: "[4]mesh.Vertex".
type Type struct {
	Array     string // "[4]"; "" where it is none
	Qualifier string // "mesh"; "" for a type of the output's package or of the language
	Name      string // "Vertex"
}

// String returns the type as Go code writes it.
func (t Type) String() string {
	if t.Qualifier == "" {
		return t.Array + t.Name
	}
	return t.Array + t.Qualifier + "." + t.Name
}

// Can says which calls the pool has beside allocation.
type Can struct {
	Free       bool // of one block
	Mark       bool // back to which blocks are freed
	Reset      bool // all blocks
	Drop       bool // all blocks, although blocks are also freed one by one
	FreeAsync  bool // of one block, after the work of a stream
	OnStream   bool // in the order of a stream: AllocOn, FreeOn
	Share      bool // with other processes
	Classes    bool // statistics by size class
	View       bool // kernels allocate from it
	Find       bool // from an address to a block
	Index      bool // from an index to a block, and back
	Handle     bool // from a handle to a block
	EachDevice bool // it stands for one pool per device
}

// Plan lowers a checked plan. [Specializer], which will make the output, decides which parameters make a difference. An error is a fault of poolgen.
func Plan(plan *spec.Plan) (*Package, error) {
	pkg := &Package{Plan: plan}
	for i := range plan.Budgets {
		b := &plan.Budgets[i]
		pkg.Budgets = append(pkg.Budgets, Budget{Spec: b, Var: budgetVar(b.Name)})
	}
	for i := range plan.Pools {
		pkg.Pools = append(pkg.Pools, pkg.newPool(&plan.Pools[i]))
	}
	if err := pkg.shareCores(Specializer()); err != nil {
		return nil, err
	}
	for _, p := range pkg.Pools {
		p.measureChunks()
		p.Config = pkg.config(p)
		p.Instance, p.Over = p.shell()
	}
	return pkg, nil
}
