//go:build !(linux && (amd64 || arm64) && (cgo || poolgen_purego))

// Package native is the function table over the driver's own library. This build has none: it is made without cgo and without the tag
// poolgen_purego, or for a platform on which poolgen does not look for a driver.
package native

import (
	"errors"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// Backend says how this program calls the driver: not at all.
const Backend = "none"

// Open returns a table. All its methods return that this program cannot call a driver.
func Open() abi.Driver {
	return abi.Absent(abi.Status{Result: abi.NoCgo, Message: "this program was built without cgo, or for another platform"})
}

// Shared is a shared library that is not the driver's. In this build there is none.
type Shared struct{}

// OpenShared returns that this program cannot open a library.
func OpenShared(string) (Shared, error) {
	return Shared{}, errors.New("this program was built without cgo, or for another platform")
}

// Symbol returns 0.
func (Shared) Symbol(string) uintptr { return 0 }

// SharedPath returns the name.
func SharedPath(_ uintptr, name string) string { return name }

// SharedCall is never called: there are no functions.
func SharedCall(uintptr, ...uintptr) int32 { return int32(abi.NoCgo) }

// SharedCallIn is never called.
func SharedCallIn(abi.Context, uintptr, ...uintptr) (int32, abi.Result) { return 0, abi.NoCgo }

// SharedText is never called.
func SharedText(uintptr, int32) string { return "" }
