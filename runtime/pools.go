package poolrt

import (
	"strings"
	"time"

	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// pool is what the engine of a pool tells.
type pool interface {
	Watched
	Snapshots
	Name() string
	Info() PoolInfo
	SnapshotForOthers() *Snapshot
}

// allPools lists the pools of the program.
func allPools() []pool { return registry.All[pool]() }

// Pools describes all pools of the program, in order of first use. A pool is listed from the first call that leaves the fast path, which
// the first allocation does, until Close or CloseForce has returned all its memory. A pool that is dropped without that stays listed,
// as its memory stays reserved.
//
// Pools are locked one after the other, each for as long as its Stats take. Those of concurrency none are not touched: they leave a copy
// of their figures, which [PoolInfo.Seen] dates. Safe for concurrent use.
func Pools() []PoolInfo {
	all := []PoolInfo{}
	for _, p := range allPools() {
		all = append(all, p.Info())
	}
	return all
}

// PoolInfo says what a pool is, and what it holds. Sizes are in the pool's unit.
type PoolInfo struct {
	Name         string     `json:"name"`             // package and pool, or as WithName says
	Allocator    string     `json:"allocator"`        // in force
	Requested    string     `json:"requested"`        // by the pool file
	Reason       string     `json:"reason,omitempty"` // why that is not the one in force
	Suballocator string     `json:"suballocator"`
	AllAtOnce    bool       `json:"all_at_once,omitempty"` // how blocks are freed: a live piece is everything that lies there
	Fit          string     `json:"fit,omitempty"`         // of a heap, also one behind bins or classes
	Concurrency  string     `json:"concurrency"`
	Ordering     string     `json:"ordering"`
	Device       int        `json:"device"` // whose streams order the use of the memory; -1: none
	Unit         string     `json:"unit"`   // what sizes count: "bytes" or "numbers"
	ItemSize     int64      `json:"item_size"`
	ChunkSize    int64      `json:"chunk_size"` // that the allocator is asked for at a time
	Budget       BudgetInfo `json:"budget,omitzero"`
	Stats        Stats      `json:"stats"`
	// Seen is when all this was so. Of a pool without a lock (concurrency none) it is a copy that the pool makes when its owner leaves the fast
	// path, or asks for its Stats: with more than a few chunks, not each time.
	Seen time.Time `json:"seen"`
}

// Named reports whether name is the pool's name, with or without its package.
func (i *PoolInfo) Named(name string) bool {
	return i.Name == name || name != "" && strings.HasSuffix(i.Name, "."+name)
}

// BudgetInfo is the budget that a pool shares with others, or zero if there is none.
type BudgetInfo struct {
	Name     string `json:"name"`
	Limit    int64  `json:"limit"`
	Reserved int64  `json:"reserved"` // by all its pools
}
