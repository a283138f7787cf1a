package devmem

import "github.com/poolgen/poolgen/runtime/poolimpl"

// Spacing is how far apart blocks lie: 1 where memory comes by pages or is shared with other processes, whose addresses have to be what they are.
//
//poolgen:param
const Spacing uint64 = poolimpl.Spacing
