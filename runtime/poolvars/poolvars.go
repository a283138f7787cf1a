// Package poolvars publishes the pools of a program with package expvar: the variable "poolgen" is the JSON array of what [poolrt.Pools] returns.
//
// Import the package for its side effect:
//
//	import _ "github.com/poolgen/poolgen/runtime/poolvars"
//
// Package expvar shows the variable at /debug/vars of the default HTTP server. Reading the variable costs what [poolrt.Pools] costs.
package poolvars

import (
	"expvar"

	poolrt "github.com/poolgen/poolgen/runtime"
)

func init() { expvar.Publish("poolgen", expvar.Func(func() any { return poolrt.Pools() })) }
