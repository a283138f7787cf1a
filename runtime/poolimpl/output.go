package poolimpl

import (
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Versions of generated code that this package serves. Each package of pools compares its own with them when it is compiled, and where it is
// outside, the name in the compiler's message says what to run.
const (
	// OldestOutput is raised when this package cannot serve older output any more: that has to be generated again.
	OldestOutput = 2
	// NewestOutput is raised when output needs what earlier versions of this package have not: those have to be updated.
	NewestOutput = 2
)

// What the program was built for, as constants: what depends on them is gone from programs built without the tags.
const (
	// Debug is [poolrt.Debug].
	Debug = poolrt.Debug
	// Observed reports whether the engine hears of each block that pools hand out and get back: in programs built with the tag pooldebug or pooltrace.
	Observed = poolrt.Debug || poolrt.Traced
)
