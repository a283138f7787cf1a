package spec

import (
	"go/build/constraint"
	"math"
	"slices"
	"time"
)

// NoLimit stands for the absence of a limit, in bytes or numbers.
const NoLimit int64 = math.MaxInt64

// Plan is a checked pool file with every default filled in: all that package lower needs to decide about the
// output. It holds no pointer into its [Document], and does not change.
type Plan struct {
	File    string // name of the pool file, as positions print it
	Package string // package clause of the output; "" if the output directory determines it
	Output  string // directory of the generated files, relative to the pool file

	BuildTags constraint.Expr // of the generated Go files; nil: none

	Imports []Import
	Budgets []Budget
	Pools   []Pool
}

// Import is a package whose types items may use.
type Import struct {
	Qualifier string
	Path      string
	Pos       Position // of the qualifier
}

// Budget is a hard limit that several pools share.
type Budget struct {
	Name  string
	Limit int64 // bytes
	Scope Scope
	Lease int64 // bytes that a process takes at a time; 0 with ScopeProcess
	Pos   Position
}

// Pool is the resolved description of one pool. Sizes are in bytes (numbers, for allocator none).
type Pool struct {
	Name string
	Doc  string
	Pos  Position // of the name

	Item         Item
	BlockSize    int64 // distance of blocks as the file sets it; 0: the item's size, rounded up to the alignment
	Allocator    Allocator
	Others       []Allocator // that a running program may choose in place of Allocator: the rest of the list in the file
	Suballocator Suballocator
	ChunkSize    int64 // multiple of Granularity; a lower bound if the item is a user type; 0 for allocator none
	ChunkSet     bool  // the file sets chunk_size: one block must fit in it before rounding
	Granularity  int64 // of the allocator: chunks are multiples of it
	Limit        int64 // NoLimit: none
	MaxLimit     int64 // the largest limit that a running program may set, at least Limit; NoLimit: any
	Budget       string
	Guarantee    int64 // bytes of the budget that the pool can always have
	Priority     int
	Reclaim      []ReclaimWay // what other pools of the budget may have this one do
	SoftLimit    int64        // 0: none
	Growth       Growth
	Prime        int64
	Alignment    int64 // of every block; 0: the item's own
	Fit          Fit   // heap, and the heap below binned and classes
	MinSplit     int64 // 0: smallest block
	Bins         []int64
	Cache        Cache
	ArenaSize    int64

	Concurrency Concurrency
	Magazine    int
	Ordering    Ordering
	OnExhausted []Rung
	WaitTimeout time.Duration

	AcrossStreams AcrossStreams // "" where the key does not apply

	Device      Device
	Peers       []int
	AllPeers    bool        // all devices that can have access
	DriverPool  *DriverPool // nil: the device's default pool
	PinnedFlags []string
	Trim        *Trim  // nil: keep everything
	Sleep       *Sleep // nil: the pool does not sleep
	Capture     Capture
	Zero        Zero
	Fallback    []Allocator
	Shareable   bool
	Registered  bool // libraries such as NCCL may know the chunks

	Guard int64 // one block in so many is guarded; 0: none

	Lookup []string // the words of the key: LookupAddress and others

	Adapters []string // the words of the key: AdaptPool and others

	Exports []string // the words of the key: ExportC

	AllocFunc, FreeFunc string // allocator custom: functions of the output package

	PackageFunctions bool
	Stats            StatsMode
	Profile          bool
	Tests            bool
	CHeader          bool
	DeviceView       DeviceView

	// Values explains every key that applies to the pool, in the order of the table of keys.
	Values []Value
}

// Value is the resolved value of one key of a pool, for explain and for mapping an error in the output back to the line that caused it.
type Value struct {
	Key    string
	Text   string // canonical form, as fmt would write it
	Origin Origin
	Basis  string   // source of a derived value: a key, or a budget
	Pos    Position // of the value; the zero Position for a default
	Note   string   // why a default was chosen or a value rounded, or that a key of defaults was skipped; may be empty
}

// Origin is the origin of a value.
type Origin string

const (
	FromPool     Origin = "pool"     // the pool sets the key
	FromDefaults Origin = "defaults" // the file's defaults set it
	FromLanguage Origin = "default"  // the language's default
	Derived      Origin = "derived"  // computed from other keys
	Skipped      Origin = "skipped"  // in defaults, but does not apply to this pool
)

// Item is the element type of a pool.
type Item struct {
	Kind      ItemKind
	Type      string // Go type in the output: "mesh.Vertex", "[4]float32", "byte"; "" for numbers
	Qualifier string // of a user type in another package; else ""
	Import    string // its import path
	Size      int64  // bytes; -1 if only the Go compiler knows (user types)
	Align     int64  // natural alignment; -1 likewise
}

// ItemKind is the kind of an item type.
type ItemKind string

const (
	ItemBytes   ItemKind = "bytes"   // no item: the pool hands out []byte, or blocks of block_size bytes
	ItemBuiltin ItemKind = "builtin" // a builtin or an array of one
	ItemUser    ItemKind = "user"    // a type of the output package or an imported one
	ItemNumber  ItemKind = "number"  // allocator none
)

// HeaderKey returns the key that requests a C header of the pool; "" if none does.
func (p *Pool) HeaderKey() string {
	switch {
	case p.CHeader:
		return "c_header"
	case p.Views():
		return "device_view"
	}
	return ""
}

// Place returns the place where the file sets a key of the pool, or the place of the pool's name if the file does not set the key.
func (p *Pool) Place(key string) Position {
	for i := range p.Values {
		if v := &p.Values[i]; v.Key == key && v.Pos != (Position{}) {
			return v.Pos
		}
	}
	return p.Pos
}

// Rung is one step of the ladder that an allocation climbs before it fails.
type Rung struct {
	Kind RungKind
	Pool string // RungPool: name of the other pool of the same file
}

// HasRung reports whether the ladder of the pool has a rung of a kind.
func (p *Pool) HasRung(kind RungKind) bool {
	return slices.ContainsFunc(p.OnExhausted, func(r Rung) bool { return r.Kind == kind })
}

// Reclaims reports whether other pools of the budget may have the pool give memory back in a way.
func (p *Pool) Reclaims(way ReclaimWay) bool { return slices.Contains(p.Reclaim, way) }

// Cache bounds the freed memory that suballocator classes keeps. NoLimit: unlimited.
type Cache struct {
	PerBin int64 // blocks of one class
	Bytes  int64 // bytes in all
}

// Trim is the policy of returning empty chunks.
type Trim struct {
	Keep int64         // bytes that stay reserved
	Idle time.Duration // how long a chunk must have been empty
	When TrimTime
}

// DefaultBatch is the default of batch in the key sleep.
const DefaultBatch = 64 << 20

// Sleep says how a pool gives its memory back for a while.
type Sleep struct {
	Contents SleepContents
	Backing  SleepBacking
	Batch    int64  // bytes that are copied between two looks at the context
	Budget   string // that the backing counts against; "": none
	Prime    bool   // the backing is obtained when the pool is opened
}

// Device is the device of a pool.
type Device struct {
	Kind  DeviceKind
	Index int // of a NumberedDevice
}

// DriverPool holds the settings of a driver's memory pool.
type DriverPool struct {
	Source           string // default, custom
	Type             string // pinned, managed
	Location         string // device, host, host_numa
	NUMA             int
	MaxSize          int64
	Handles          string // none, fd, win32, fabric
	ReleaseThreshold Setting[int64]
	ReuseFollow      Setting[bool]
	ReuseOpportune   Setting[bool]
	ReuseInternal    Setting[bool]
	SetCurrent       bool
}

// Setting is a setting of the driver's pool that a pool file may leave unchanged: other code may have changed the settings of the default pool.
type Setting[T any] struct {
	Value   T
	Written bool
}

// Position is a place in a pool file. Lines and columns count from 1, columns in characters; the zero
// Position is no place.
type Position struct {
	Line, Column int
}
