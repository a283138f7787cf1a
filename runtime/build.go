package poolrt

import (
	"github.com/poolgen/poolgen/runtime/internal/build"
	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// The tags that the program was built with. The compiler removes code that depends on a constant that is false, before it decides what to inline.
const (
	// Debug reports whether the program was built with the tag pooldebug. Pools then detect writes outside of blocks, uses after a free and leaks: see
	// docs/debugging.md.
	Debug = build.Debug
	// Traced reports whether the program was built with the tag pooltrace. Pools then keep their last events, sample who allocates, and can record a trace: see
	// docs/tracing.md.
	Traced = trace.On
)
