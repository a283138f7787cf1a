// Package ring has nothing that depends on the pool: all of the suballocator is in package [ring].
//
// [ring]: https://pkg.go.dev/github.com/poolgen/poolgen/runtime/poolimpl/cores/ring
package ring

import "github.com/poolgen/poolgen/runtime/poolimpl/cores/ring"

// Core is the suballocator. Its parameters are in the configuration of the pool.
type Core struct{ ring.Core }
