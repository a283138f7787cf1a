// Package poolvars publishes the pools of a program by package expvar, as the variable "poolgen": a list of all pools, each with what it is and
// its Stats. It is there for its effect,
//
//	import _ "github.com/poolgen/poolgen/runtime/poolvars"
//
// and the variable is read where expvar shows its own, at /debug/vars of the default HTTP server. Reading it costs what runtime.Pools costs.
package poolvars

import (
	"expvar"

	poolrt "github.com/poolgen/poolgen/runtime"
)

func init() { expvar.Publish("poolgen", expvar.Func(func() any { return poolrt.Pools() })) }
