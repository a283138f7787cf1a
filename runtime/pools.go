package poolrt

import (
	"strings"
	"time"

	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// pool is the part of an engine that this package uses.
type pool interface {
	Watched
	Snapshots
	Name() string
	Info() PoolInfo
	SnapshotForOthers() *Snapshot
}

// allPools lists the pools of the program.
func allPools() []pool { return registry.All[pool]() }

// Pools describes all pools of the program, in order of first use. A pool is listed from the first call that leaves the fast path, as the first allocation
// does, until Close or CloseForce has returned all its memory. A pool that the program drops without closing it stays listed, as its memory stays reserved.
//
// Pools locks one pool after the other, each as long as its Stats take. Pools with concurrency none have no lock: for these, Pools returns a copy of the figures
// that the pool has left, and [PoolInfo.Seen] is the time of the copy. Safe for concurrent use.
func Pools() []PoolInfo {
	all := []PoolInfo{}
	for _, p := range allPools() {
		all = append(all, p.Info())
	}
	return all
}

// PoolInfo describes a pool and what the pool holds. Sizes are in units of Unit.
//
// Name is that of the package and the pool, such as "scene.Vertex", or the name that [WithName] has set. If another pool that is listed has the name, the lowest
// free number from 2 on follows: "scene.Vertex 2". The pool has this name everywhere, in errors, events and traces as well. Close makes the name free.
type PoolInfo struct {
	Name         string     `json:"name"`                  // of the pool file or WithName; the second pool in use of that name has " 2" behind it, and so on
	Allocator    string     `json:"allocator"`             // in use
	Requested    string     `json:"requested"`             // as the pool file says, or WithAllocator
	Reason       string     `json:"reason,omitempty"`      // why the requested allocator is not in use
	Suballocator string     `json:"suballocator"`          // as the pool file says
	AllAtOnce    bool       `json:"all_at_once,omitempty"` // blocks are freed all at once: in a snapshot, one live piece is all blocks of a chunk
	Fit          string     `json:"fit,omitempty"`         // of a heap, and of the heap behind bins or classes
	Concurrency  string     `json:"concurrency"`           // "none", "mutex" or "sharded"
	Ordering     string     `json:"ordering"`              // as the pool file says
	Device       int        `json:"device"`                // the device whose streams order the use of the memory; -1 without one
	Unit         string     `json:"unit"`                  // what sizes count: "bytes" or "numbers"
	ItemSize     int64      `json:"item_size"`             // of one item
	ChunkSize    int64      `json:"chunk_size"`            // what the pool obtains from the allocator at a time
	MaxLimit     int64      `json:"max_limit"`             // the largest limit that SetLimit may set; NoLimit: any. The one in force is Stats.Limit
	Budget       BudgetInfo `json:"budget,omitzero"`       // zero without a budget
	Guarantee    int64      `json:"guarantee,omitempty"`   // bytes of the budget that the pool can always have
	Priority     int        `json:"priority"`              // in the budget and in groups: the lowest gives first
	Stats        Stats      `json:"stats"`
	// Seen is the time of these figures. A pool with concurrency none leaves a copy of its figures whenever its owner calls Stats, and on calls that leave the fast
	// path: with many chunks, on some of these calls.
	Seen time.Time `json:"seen"`
}

// Named reports whether name is the name of the pool, with or without its package.
func (i *PoolInfo) Named(name string) bool {
	return i.Name == name || name != "" && strings.HasSuffix(i.Name, "."+name)
}

// BudgetInfo is the budget that a pool shares with other pools. It is zero for a pool without a budget.
type BudgetInfo struct {
	Name     string `json:"name"`
	Limit    int64  `json:"limit"`          // of all its pools together
	Reserved int64  `json:"reserved"`       // by all its pools together
	Kept     int64  `json:"kept,omitempty"` // what pools lack to their guarantees: no other pool can have it

	// With scope host, the figures above are those of this process.
	Host      bool   `json:"host,omitempty"`      // other processes share the limit
	Leased    int64  `json:"leased,omitempty"`    // what this process has of it, in use or not
	Elsewhere int64  `json:"elsewhere,omitempty"` // what other processes have of it, as far as this one knows without asking
	Failure   string `json:"failure,omitempty"`   // why the ledger has refused the last request; "" if it has not
}
