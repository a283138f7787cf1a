package runtime

// Stream names a stream of a device. Streams are told apart by the number that the driver gave them, which is never used again; the
// handle of a stream that was destroyed soon belongs to another. Package cuda makes them.
type Stream struct {
	Handle uintptr
	ID     uint64
	Device int32
}

// Fence is a point in the work of a stream: an event of the driver. 0 is none.
type Fence uint64

// Timeline asks the driver about the order of work. Package cuda has one for each device. The engine calls it with the pool's lock
// released, so each method may be called by several goroutines at once.
type Timeline interface {
	// Record marks the work that the stream has been given so far. Where the stream is gone, the mark covers
	// whatever it may have left running.
	Record(Stream) (Fence, error)
	// Done reports whether the work up to the mark has completed, without waiting.
	Done(Fence) (bool, error)
	// Wait makes all later work of the stream wait for the mark, without waiting itself.
	Wait(Stream, Fence) error
	// Sync waits until the work up to the mark has completed.
	Sync(Fence) error
	// Release gives the mark back. It must not be used again.
	Release(Fence)
}
