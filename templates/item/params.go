package item

import (
	"github.com/poolgen/poolgen/runtime"
)

// config describes the pool to the engine.
//
//poolgen:param
var config = runtime.Config{
	Name:        "item.Pool",
	Allocator:   "host",
	Source:      runtime.Host(),
	Locked:      true,
	ChunkSize:   64 << 10,
	Granularity: 4096,
	Alignment:   64,
	Limit:       256 << 10,
	Ladder:      []runtime.Rung{{Kind: runtime.RungError}},
	WaitTimeout: 1e9,
	Trim:        &runtime.TrimPolicy{},
	Spacing:     runtime.Spacing,
}
