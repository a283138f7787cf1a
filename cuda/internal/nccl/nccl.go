// Package nccl chooses the function table of NCCL of this program: the library, or the simulated one in a build with the tag cudasim.
package nccl

import (
	"sync"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

var table = sync.OnceValues(open)

// Table returns the table. The first call looks for the library, which takes some milliseconds. Without a library it returns which were tried, and why each failed; that
// is [abi.NCCLNoFunction] if the library is too old.
func Table() (abi.NCCL, *Missing) { return table() }

// Missing says why there is no library to call.
type Missing struct {
	Result abi.NCCLResult // NCCLNoLibrary or NCCLNoFunction
	Detail string         // what was tried, and what is wrong with it
}
