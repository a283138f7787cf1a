// Package harness measures generated pools beside other ways to get memory.
//
// Like the harness of replay, it is compiled together with the pools, in the user's module. The bench command overlays its source beside the
// generated package without writing it there, with a file in that package that holds the loops of each pool. The loops call the methods of their pool
// directly, as the user's code does. Package driver, below, has the calls of the CUDA driver. Program malloc runs in a process of its own, because
// the go command runs cgo only in directories that exist.
package harness

// Pool is a pool to be measured, as its pool file describes it. Sizes are in bytes; for pools of numbers, in numbers.
type Pool struct {
	Item    int64 // size of one
	Granule int64 // what blocks are rounded up to
	Chunk   int64 // what the pool grows by; 0: it does not
	Limit   int64 // the pool's own or its budget's, whichever is lower
	Single  bool  // each block is one item
	Order   Order
	Alone   bool // for one goroutine
	Streams bool // blocks can be taken and freed on streams
	Malloc  bool // malloc can be a peer
	New     func() (Instance, error)
	Peers   []func() ([]Peer, error) // an error says why there are none
}

// Order is the order in which blocks are freed.
type Order int

const (
	AnyOrder  Order = iota // any of those that are live
	InOrder                // about in the order of their allocation
	AllAtOnce              // by Reset
)

// Instance is a fresh pool.
type Instance struct {
	Effective func() (allocator, reason string)
	First     func() error // takes a block
	Work      func(l *Load) (Worker, error)
	WorkOn    func(l *Load) (Worker, error) // the same on a stream of the worker's own; nil if the pool has no streams
	Close     func() error
}

// Worker runs about n operations of a load, and returns how many they were: a block taken and one freed is one.
type Worker func(n int) (done int, err error)
