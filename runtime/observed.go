package runtime

// Observed reports whether pools tell the runtime of each block that they hand out and get back: in programs built with the tag pooldebug or pooltrace.
const Observed = Debug || Traced
