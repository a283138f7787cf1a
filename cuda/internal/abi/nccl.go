package abi

// NCCL is the function table of the library of that name: the library itself, the simulated one, or none. Each method is one function and is named after it.
// Functions that NCCL runs on the current device are called with its context current.
type NCCL interface {
	// Path returns the path of the library, or "simulator".
	Path() string
	GetVersion() (int, NCCLResult)
	GetErrorString(NCCLResult) string
	GetLastError() string
	GetUniqueID() (NCCLID, NCCLResult)
	// CommInitRank waits for all ranks.
	CommInitRank(ranks int, id NCCLID, rank int) (Comm, NCCLResult)
	CommDestroy(Comm) NCCLResult
	CommAbort(Comm) NCCLResult
	CommGetAsyncError(Comm) (NCCLResult, NCCLResult)
	CommCount(Comm) (int, NCCLResult)
	CommUserRank(Comm) (int, NCCLResult)
	CommCuDevice(Comm) (int, NCCLResult)
	CommRegister(c Comm, p Ptr, bytes uint64) (handle uintptr, r NCCLResult)
	CommDeregister(c Comm, handle uintptr) NCCLResult
	// Transfer queues a collective or a transfer between two ranks. It makes the context of the rank's device current by itself.
	Transfer(Context, *Transfer) NCCLResult
	GroupStart() NCCLResult
	GroupEnd() NCCLResult
}

type (
	// Comm is a handle of NCCL: a rank of a communicator.
	Comm uintptr
	// NCCLID is what the ranks of a communicator share.
	NCCLID [128]byte
	// NCCLResult is the result of a function of NCCL (ncclResult_t), or one of NCCLNoLibrary and NCCLNoFunction.
	NCCLResult int32
)

// Results.
const (
	NCCLSuccess         NCCLResult = 0
	NCCLUnhandledCUDA   NCCLResult = 1
	NCCLInternalError   NCCLResult = 3
	NCCLInvalidArgument NCCLResult = 4
	NCCLInvalidUsage    NCCLResult = 5
	NCCLRemoteError     NCCLResult = 6
	NCCLNoLibrary       NCCLResult = -1
	NCCLNoFunction      NCCLResult = -2
)

// Transfer is a collective or a transfer between two ranks. What a function has no parameter for is ignored.
type Transfer struct {
	Kind       TransferKind
	Send, Recv Ptr
	Count      uint64
	Type, Op   int32
	Peer       int32 // or the root
	Comm       Comm
	Stream     Stream
}

// TransferKind is a function of NCCL.
type TransferKind int

// The functions.
const (
	AllReduce TransferKind = iota
	AllGather
	ReduceScatter
	Broadcast
	Send
	Recv
)

// TransferNames are the names of the functions.
var TransferNames = [...]string{"ncclAllReduce", "ncclAllGather", "ncclReduceScatter", "ncclBroadcast", "ncclSend", "ncclRecv"}

// NCCLTypes are the sizes in bytes of the types of items, by their number; 0: none.
var NCCLTypes = [...]uint64{1, 1, 4, 4, 8, 8, 2, 4, 8, 2}

// NCCLOps is the number of operations that reduce.
const NCCLOps = 5
