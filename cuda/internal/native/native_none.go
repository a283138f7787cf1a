//go:build !(linux && (amd64 || arm64) && (cgo || poolgen_purego))

// Package native is the function table over the driver's own library. This build has none: it is made without cgo and without the tag
// poolgen_purego, or for a platform on which poolgen does not look for a driver.
package native

import "github.com/poolgen/poolgen/cuda/internal/abi"

// Backend says how this program calls the driver: not at all.
const Backend = "none"

// Open returns a table. All its methods return that this program cannot call a driver.
func Open() abi.Driver {
	return abi.Absent(abi.Status{Result: abi.NoCgo, Message: "this program was built without cgo, or for another platform"})
}
