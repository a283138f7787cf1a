// Package driver chooses the function table of this program: the driver's own library, or the simulator in a build with the tag
// cudasim. Backend names the choice. Package cuda imports neither directly, and a program links only the one that it uses.
package driver

import (
	"sync"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

var table = sync.OnceValue(open)

// Table returns the table. The first call looks for the driver and initialises it, which takes up to a second with a driver and a
// fraction of a millisecond without one; later calls take a few nanoseconds. It never fails: without a driver every method of
// the table says why. Safe for concurrent use.
func Table() abi.Driver { return table() }
