package item

import (
	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/runtime/poolimpl/cores/fixed"
)

// config describes the pool to the engine. If [sharded], Locked says that any goroutine may call; the fast path takes no lock of
// the pool.
//
//poolgen:param
var config = poolimpl.Config{
	Name:        "item.Pool",
	Allocator:   "host",
	Source:      poolimpl.Host(),
	Core:        &fixed.Params{BlockSize: 64, ItemBytes: 64, Counters: true, Trims: true},
	Locked:      true,
	ChunkSize:   64 << 10,
	Granularity: 4096,
	Alignment:   64,
	Limit:       256 << 10,
	Ladder:      []poolimpl.Rung{poolimpl.ErrorRung{}},
	WaitTimeout: 1e9,
	Trim:        &poolimpl.TrimPolicy{},
	Spacing:     poolimpl.Spacing,
}
