package devmem

import "github.com/poolgen/poolgen/runtime"

// Apart is how far apart blocks lie: 1 where memory comes by pages or is shared with other processes, whose addresses have to be what they are.
//
//poolgen:param
const Apart uint64 = runtime.Spread
