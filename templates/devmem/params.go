package devmem

import "github.com/poolgen/poolgen/runtime/poolimpl"

// Spacing is the distance factor of blocks in programs built with the tag pooldebug. It is 1 where memory comes in pages or is shared with other
// processes: their addresses cannot be spread.
//
//poolgen:param
const Spacing uint64 = poolimpl.Spacing
