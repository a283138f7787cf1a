package simulator

import (
	"encoding/binary"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// NCCL is the simulated library of that name, for any number of ranks in this process. Its calls count, and fail on demand, as those of the driver: by their names.
// Several ranks may be on one device.
type NCCL struct{ d *Driver }

var _ abi.NCCL = NCCL{}

// NCCL returns the simulated library.
func (d *Driver) NCCL() NCCL { return NCCL{d} }

// ncclVersion is the version that the library says it has.
const ncclVersion = 22809

// Path returns "simulator".
func (NCCL) Path() string { return "simulator" }

// GetVersion returns a version that has all functions.
func (n NCCL) GetVersion() (int, abi.NCCLResult) {
	r := n.begin("ncclGetVersion")
	defer n.d.mu.Unlock()
	return ncclVersion, r
}

// begin is the start of each function: it takes the lock, which the caller releases, and counts the call, which may have to fail.
func (n NCCL) begin(function string) abi.NCCLResult {
	switch r := n.d.begin(function); r {
	case abi.NoFunction:
		return abi.NCCLNoFunction
	default:
		return abi.NCCLResult(r)
	}
}

// ncclTexts are the texts of results.
var ncclTexts = map[abi.NCCLResult]string{
	abi.NCCLSuccess: "no error", abi.NCCLUnhandledCUDA: "unhandled cuda error", 2: "unhandled system error", abi.NCCLInternalError: "internal error",
	abi.NCCLInvalidArgument: "invalid argument", abi.NCCLInvalidUsage: "invalid usage", abi.NCCLRemoteError: "remote process exited or there was a network error",
}

// GetErrorString returns the text of a result.
func (NCCL) GetErrorString(r abi.NCCLResult) string { return ncclTexts[r] }

// GetLastError returns "": findings say more.
func (NCCL) GetLastError() string { return "" }

// GetUniqueID returns the identity of another communicator.
func (n NCCL) GetUniqueID() (id abi.NCCLID, r abi.NCCLResult) {
	r = n.begin("ncclGetUniqueId")
	defer n.d.mu.Unlock()
	if r == abi.NCCLSuccess {
		binary.LittleEndian.PutUint64(id[:], n.d.number())
	}
	return id, r
}

// GroupStart starts a group on the calling thread.
func (n NCCL) GroupStart() abi.NCCLResult {
	r := n.begin("ncclGroupStart")
	defer n.d.mu.Unlock()
	if r != abi.NCCLSuccess {
		return r
	}
	here := thread()
	if n.d.batches[here] == nil {
		n.d.batches[here] = &batch{}
	}
	n.d.batches[here].depth++
	return abi.NCCLSuccess
}

// GroupEnd ends a group. The end of the outermost one queues what was called in it.
func (n NCCL) GroupEnd() abi.NCCLResult {
	r := n.begin("ncclGroupEnd")
	defer n.d.mu.Unlock()
	here := thread()
	b := n.d.batches[here]
	if b == nil {
		return abi.NCCLInvalidUsage
	}
	b.depth--
	if b.depth > 0 {
		return r
	}
	delete(n.d.batches, here)
	if r != abi.NCCLSuccess {
		return r
	}
	return n.d.queue(b.all)
}
