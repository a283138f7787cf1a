package runtime

// Binder is a Source that has to be tied to a device before it can supply anything: which one, is known only when the pool is
// first used. Package cuda's sources are Binders.
type Binder interface {
	Source
	// Bind finds the device and what works there. It is called with the pool's lock released.
	Bind(Binding) (Bound, error)
}

// Binding is what a pool asks for.
type Binding struct {
	Name   string // of the pool
	Device int    // as OnDevice says; noDevice: as the pool file says
	Limit  int64  // in force, NoLimit if there is none
	Chunk  int64  // size of the usual chunk
}

// Bound is what it gets.
type Bound struct {
	Source      Source
	Allocator   string // in force
	Reason      string // why it is not the one asked for; "" where it is
	Granularity int64  // chunks are multiples of it; 0: as the pool's Config says
	Device      int
	Timeline    Timeline          // nil where there are no streams
	Zero        func(Chunk) error // clears memory that Go code cannot address, or that the source does not hand out zeroed; nil: nothing to do
	Close       func() error      // gives back what Bind took, once the last chunk is gone; nil: nothing
}
