package poolimpl

import poolrt "github.com/poolgen/poolgen/runtime"

// What the program was built for, as constants: what depends on them is gone from programs built without the tags.
const (
	// Debug is [poolrt.Debug].
	Debug = poolrt.Debug
	// Observed reports whether the engine hears of each block that pools hand out and get back: in programs built with the tag pooldebug or pooltrace.
	Observed = poolrt.Debug || poolrt.Traced
)
