// Package strips has nothing that depends on the pool: all of the suballocator is in package [strips].
//
// [strips]: https://pkg.go.dev/github.com/poolgen/poolgen/runtime/poolimpl/cores/strips
package strips

import "github.com/poolgen/poolgen/runtime/poolimpl/cores/strips"

// Core is the suballocator. Its parameters are in the configuration of the pool.
type Core struct{ strips.Core }
