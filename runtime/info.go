package runtime

import (
	"strings"
	"sync"
	"time"
)

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

// info describes the pool for whoever asks.
func (e *Engine) info() PoolInfo {
	if e.figures.published != nil {
		return e.figures.published.get()
	}
	if Debug {
		e.flushQuarantine()
		defer e.endBypass()
	}
	e.lock()
	defer e.unlock()
	return e.describe()
}

// describe is info under the lock.
func (e *Engine) describe() PoolInfo {
	c := e.config
	i := PoolInfo{
		Name: e.poolName(), Allocator: e.memory.Allocator, Requested: c.Allocator, Reason: e.memory.Reason,
		Suballocator: c.Suballocator, AllAtOnce: c.Uncounted, Fit: c.Fit, Concurrency: "mutex", Ordering: c.Ordering, Device: -1, Unit: e.unit(),
		ItemSize: c.ItemSize, ChunkSize: e.memory.unit, Budget: c.Budget.info(), Stats: e.stats(), Seen: time.Now(),
	}
	switch {
	case !c.Locked:
		i.Concurrency = "none"
	case e.core.shared != nil:
		i.Concurrency = "sharded"
	}
	if e.memory.Timeline != (noTimeline{}) {
		i.Device = e.memory.Device
	}
	return i
}

// published is what others may know of a pool without a lock.
type published struct {
	mu    sync.Mutex
	info  PoolInfo
	calls int64 // of the slow path since
}

func (s *published) get() PoolInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info
}

// publish renews what others may know of the pool.
func (e *Engine) publish() {
	info := e.describe()
	e.figures.published.calls = 0
	e.figures.published.mu.Lock()
	defer e.figures.published.mu.Unlock()
	e.figures.published.info = info
}

// chunksPerCall is how many chunks each call of the slow path pays a look at.
const chunksPerCall = 8

// publishDue does so once the calls of the slow path since the last time have paid for the look at all chunks that it takes.
func (e *Engine) publishDue() {
	if e.figures.published == nil {
		return
	}
	if e.figures.published.calls++; e.figures.published.calls*chunksPerCall >= e.limits.chunks {
		e.publish()
	}
}
