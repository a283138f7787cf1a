package span

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/heap"
)

// Parameters of the shell.
const (
	// frees: blocks are freed one by one. Off for a suballocator that frees its blocks only all at once.
	//poolgen:param
	frees = true

	// bytes: an item is a byte.
	//poolgen:param
	bytes = false
)

// config describes the pool to the engine. If [sharded], Locked says that any goroutine may call; the fast path takes no lock of
// the pool.
//
//poolgen:param
var config = poolimpl.Config{
	Name:        "span.Pool",
	Allocator:   "host",
	Source:      poolimpl.Host(),
	Core:        &heap.Params{Granule: 16, MinSplit: 16, Counters: true, Trims: true},
	Locked:      true,
	ChunkSize:   1 << 20,
	Granularity: 4096,
	Alignment:   64,
	Limit:       8 << 20,
	Oversize:    true,
	Ladder:      []poolimpl.Rung{poolimpl.ErrorRung{}},
	WaitTimeout: 1e9,
	Trim:        &poolimpl.TrimPolicy{},
	Spacing:     poolimpl.Spacing,
	Rounding:    16,
}
