// Package classes has nothing that depends on the pool: all of the suballocator is in package [classes].
//
// [classes]: https://pkg.go.dev/github.com/poolgen/poolgen/runtime/poolimpl/cores/classes
package classes

import "github.com/poolgen/poolgen/runtime/poolimpl/cores/classes"

// Core is the suballocator. Its parameters are in the configuration of the pool.
type Core struct{ classes.Core }
