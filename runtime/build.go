package poolrt

import (
	"github.com/poolgen/poolgen/runtime/internal/build"
	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// What the program was built for. What depends on these constants is gone from programs built without the tag, as the compiler drops what a constant
// decides before it counts what a function costs.
const (
	// Debug reports whether the program was built with the tag pooldebug, by which pools watch their blocks: see docs/debugging.md.
	Debug = build.Debug
	// Traced reports whether the program was built with the tag pooltrace, by which pools keep their last events, can record what happens to them, and
	// sample who allocates: see docs/tracing.md.
	Traced = trace.On
)
