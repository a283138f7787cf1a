package harness

import (
	"runtime"
	"time"
)

// Peer is another way to get memory.
type Peer struct {
	Name    string
	Granule int64 // bytes that the smallest block takes; 0: nothing to speak of
	// Open returns a worker for each load, and what frees what they hold.
	Open func(loads []*Load) (workers []Worker, end func() error, err error)
	// Once allocates one block, frees it, and returns how long the allocation took.
	Once func(bytes int64) (time.Duration, error)

	start func(w Work) (*subject, error) // for a peer in another process, instead of Open and Once
}

// New is Go's own way to a single item.
func New[T any]() ([]Peer, error) {
	return []Peer{collected("new", func(int) *T { return new(T) })}, nil
}

// Make is Go's own way to several items.
func Make[T any]() ([]Peer, error) {
	return []Peer{collected("make", func(n int) []T { return make([]T, n) })}, nil
}

// collected is a peer whose blocks are freed by Go's garbage collector.
func collected[B any](name string, alloc func(items int) B) Peer {
	return Peer{
		Name: name,
		Open: func(loads []*Load) (all []Worker, end func() error, err error) {
			for _, l := range loads {
				blocks := make([]B, l.Live)
				all = append(all, func(n int) (int, error) {
					for range n {
						s := l.Next()
						blocks[s.Slot] = alloc(s.Items)
					}
					return n, nil
				})
			}
			return all, nothing, nil
		},
		Once: func(bytes int64) (time.Duration, error) {
			start := time.Now()
			b := make([]byte, bytes)
			took := time.Since(start)
			runtime.KeepAlive(b)
			return took, nil
		},
	}
}
