package pools

// Op is what a function of a pool does.
type Op int

// What functions of pools do. Those that allocate or free blocks come first.
const (
	None        Op = iota
	Alloc          // returns a block, and an error or whether there was one
	AllocRef       // returns an owner of a block, and an error
	AllocHandle    // returns a handle of a block, the block, and an error
	AllocBatch     // fills a slice with blocks
	Free           // frees a block
	FreeOn         // frees a block that a stream may still be using
	FreeBatch      // frees the blocks of a slice
	FreeHandle     // frees the block of a handle
	With           // calls a function with a block that is freed when it returns
	WithOn         // calls a function with a block that is freed on a stream when it returns
	Find           // returns the block at an address or with an index
	Get            // returns the block of a handle, and whether the block is live
	IndexOf        // returns the index of a block
	Default        // returns the package's pool
	New            // returns a new pool
	Reset          // frees all blocks at once
	Mark           // marks the blocks handed out so far
	Release        // frees all blocks that were handed out since a mark
	CloseForce     // closes the pool even if blocks are live
	ToDevice       // copies from Go's memory to a block: block, memory, stream
	ToHost         // copies from a block to Go's memory: memory, block, stream
	Peer           // copies from block to block
	Zero           // clears a block
	CopyFrom       // method of a block: ToDevice
	CopyTo         // method of a block: ToHost
	CopyPeer       // method of a block: Peer
	ZeroBlock      // method of a block: Zero
	Slice          // method of a block: a part of it
	Look           // method of a block: what it is
	Place          // method of a block: where it is, as a number
	RefGet         // method of an owner: its block
	RefRelease     // method of an owner: frees its block
	RefDetach      // method of an owner: gives up its block
	Resize         // makes a block longer or shorter, and may move it: nothing is known of the result
	Whole          // method of a pool that is not about a block
)

// poolMethods are the methods of a pool, and with them the functions of the package that are in [spec.Calls].
var poolMethods = map[string]Op{
	"Alloc": Alloc, "TryAlloc": Alloc, "AllocAligned": Alloc, "AllocContext": Alloc, "AllocOn": Alloc, "AllocAlignedOn": Alloc, "AllocContextOn": Alloc,
	"AllocRef": AllocRef, "AllocRefOn": AllocRef, "AllocBatch": AllocBatch, "AllocBatchOn": AllocBatch,
	"Free": Free, "FreeOn": FreeOn, "FreeAsync": FreeOn, "FreeBatch": FreeBatch, "FreeBatchOn": FreeBatch, "With": With, "WithOn": WithOn,
	"CopyToDevice": ToDevice, "CopyToHost": ToHost, "CopyPeer": Peer, "Zero": Zero,
	"Find": Find, "Index": IndexOf, "AtIndex": Find, "AllocHandle": AllocHandle, "Get": Get, "FreeHandle": FreeHandle,
	"FreeAt": Whole, "Usable": Whole, "Resize": Resize,
	"Reset": Reset, "Mark": Mark, "Release": Release, "CloseForce": CloseForce,
	"Stats": Whole, "ResetPeaks": Whole, "Trim": Whole, "Poll": Whole, "SetLimit": Whole, "Prime": Whole, "Close": Whole,
}

var blockMethods = map[string]Op{
	"CopyFrom": CopyFrom, "CopyTo": CopyTo, "CopyPeer": CopyPeer, "Zero": ZeroBlock, "Slice": Slice, "Ptr": Slice,
	"Len": Look, "Bytes": Look,
	"Addr": Place, "Handle": Place, "First": Place, "Memory": Place, "Offset": Place, "At": Place,
}

// Frees reports whether a function frees the block that is its argument or its receiver.
func (op Op) Frees() bool {
	switch op {
	case Free, FreeOn, FreeBatch, FreeHandle, RefRelease:
		return true
	}
	return false
}

// Lends reports whether a function calls another with a block.
func (op Op) Lends() bool { return op == With || op == WithOn }

var refMethods = map[string]Op{"Get": RefGet, "Release": RefRelease, "Detach": RefDetach}
