// Package lower decides everything about the output of a pool file: which templates make up each pool and with what parameters, which pools share a
// suballocator, how large things are, and what all of it is called. Plan turns a checked plan into a Package; package compile has the templates
// specialised as the Package says, and package facade prints the API that it describes. Neither decides anything but words.
//
//	spec.Plan -> Plan -> Package
//	                       Cores    suballocators, each for all pools with the same parameters    cores.go
//	                       Pools    sizes                                                         size.go, pools.go
//	                                parameters of templates                                       settings.go, shells.go
//	                                names of declarations, types and files                        names.go, files.go
//	                                the description for the engine                                config.go, binder.go, literal.go
//	                                what its tests ask for                                        trial.go
package lower

import (
	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/templates/specialize"
)

// Package is the output of one pool file. Nobody changes it once Plan has returned it.
type Package struct {
	Plan    *spec.Plan
	Budgets []Budget // in the order of the pool file
	Cores   []*Core  // in the order of the first pool with each
	Pools   []*Pool  // in the order of the pool file
}

// Budget is a limit that pools share.
type Budget struct {
	Spec *spec.Budget
	Var  string // variable of the budget: "sceneBudget"
}

// Core is a suballocator in the output. All pools with equal parameters share it. It is named after the first of them: what happens to a pool shows in
// the code of others only where they share the core of that.
type Core struct {
	Type     string // "vertexCore"
	File     string // "vertex_core.go"
	Stride   string // constant with the distance of blocks; "" where blocks have many sizes
	Mark     string // type of its marks; "" where it has none
	Instance specialize.Instance
	Pools    []*Pool // in the order of the pool file
}

// Pool is one pool of the output. Sizes are in bytes, and numbers for pools of numbers. Names, Files, Item, Can and Trial are what is printed; from the rest,
// Instance and Config are made.
type Pool struct {
	Spec       *spec.Pool // of the pool file
	Core       *Core
	Names      Names
	Files      Files
	Item       Item
	Can        Can
	Stride     Size    // distance of blocks of one size: the item, rounded up to the alignment
	Chunk      Size    // what is reserved at a time; zero for numbers
	MaxChunk   Size    // the largest that the suballocator can number; zero where no chunk becomes that large
	Index      int     // bits of what numbers the blocks of a chunk: 16 or 32
	OneChunk   bool    // the limit leaves no room for a second chunk
	Granule    int64   // unit of blocks of many sizes
	Budget     *Budget // that it shares; nil if it shares none
	PerWord    int     // blocks of one size that a word stands for, where goroutines do not take a lock
	Slabs      []int64 // sizes served from slabs, ascending
	PreferUsed bool    // large chunks are kept for large requests
	Default    bool    // the package has a pool: for package functions, or as a lender
	Instance   specialize.Instance
	Over       string  // import path of the template that the suballocator takes the place of in the instance
	Config     Literal // runtime.Config
	Trial      Trial   // for the generated tests; none without them
}

// Item is what requests count: the type that the pool is for, or a byte.
type Item struct {
	Size     Size // of what one block holds in item form, and of an item else
	Declared bool // the output declares the type, an array of bytes, for want of one
	Plain    Type // the type as the pool file writes it, or the declared one
	// The type as each kind of file writes it: suballocators and shells, the API, tests. Each takes other names for itself.
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
	FreeAsync  bool // of one block, behind the work of a stream
	OnStream   bool // in the order of a stream: AllocOn, FreeOn
	Share      bool // with other processes
	View       bool // kernels allocate from it
	EachDevice bool // it stands for one pool a device
}

// Plan lowers a checked plan. The specialiser, which is to make the output, tells which parameters make a difference. An error is a fault of poolgen.
func Plan(plan *spec.Plan, s *specialize.Specializer) (*Package, error) {
	pkg := &Package{Plan: plan}
	for i := range plan.Budgets {
		b := &plan.Budgets[i]
		pkg.Budgets = append(pkg.Budgets, Budget{Spec: b, Var: budgetVar(b.Name)})
	}
	for i := range plan.Pools {
		pkg.Pools = append(pkg.Pools, pkg.newPool(&plan.Pools[i]))
	}
	if err := pkg.shareCores(s); err != nil {
		return nil, err
	}
	for _, p := range pkg.Pools {
		p.measureChunks()
		p.Config = pkg.config(p)
		p.Instance, p.Over = p.shell()
	}
	return pkg, nil
}
