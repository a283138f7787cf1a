// Package direct has nothing that depends on the pool: all of the suballocator is in package [direct].
//
// [direct]: https://pkg.go.dev/github.com/poolgen/poolgen/runtime/poolimpl/cores/direct
package direct

import "github.com/poolgen/poolgen/runtime/poolimpl/cores/direct"

// Core is the suballocator. Its parameters are in the configuration of the pool.
type Core struct{ direct.Core }
