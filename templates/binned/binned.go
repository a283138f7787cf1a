// Package binned has nothing that depends on the pool: all of the suballocator is in package [binned].
//
// [binned]: https://pkg.go.dev/github.com/poolgen/poolgen/runtime/poolimpl/cores/binned
package binned

import "github.com/poolgen/poolgen/runtime/poolimpl/cores/binned"

// Core is the suballocator. Its parameters are in the configuration of the pool.
type Core struct{ binned.Core }
