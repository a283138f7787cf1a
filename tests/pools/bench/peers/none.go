//go:build !cgo || !linux

package peers

// Allocator is another allocator.
type Allocator struct{ Name string }

// Open returns no allocators.
func Open() []*Allocator { return nil }

// Pairs is never called.
func (*Allocator) Pairs(int) []Worker { return nil }

// MovedPairs is never called.
func (*Allocator) MovedPairs(int) ([]Worker, func()) { return nil, nil }

// Churn is never called.
func (*Allocator) Churn([][]Step, int) ([]Worker, func()) { return nil, nil }

// MovedChurn is never called.
func (*Allocator) MovedChurn([][]Step) ([]Worker, func()) { return nil, nil }
