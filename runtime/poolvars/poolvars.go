// Package poolvars publishes the pools of a program with package expvar, as the variable "poolgen": the list of all pools that
// poolrt.Pools returns. Import it for its side effect,
//
//	import _ "github.com/poolgen/poolgen/runtime/poolvars"
//
// and read the variable where expvar shows its own, at /debug/vars of the default HTTP server. Reading it costs what poolrt.Pools costs.
package poolvars

import (
	"expvar"

	poolrt "github.com/poolgen/poolgen/runtime"
)

func init() { expvar.Publish("poolgen", expvar.Func(func() any { return poolrt.Pools() })) }
