//go:build !cgo || !linux

package peers

// Allocator is one of the others.
type Allocator struct{ Name string }

// Open finds none.
func Open() []*Allocator { return nil }

// Pairs is for those that are found.
func (*Allocator) Pairs(int) []Worker { return nil }

// MovedPairs is for those that are found.
func (*Allocator) MovedPairs(int) ([]Worker, func()) { return nil, nil }

// Churn is for those that are found.
func (*Allocator) Churn([][]Step, int) ([]Worker, func()) { return nil, nil }

// MovedChurn is for those that are found.
func (*Allocator) MovedChurn([][]Step) ([]Worker, func()) { return nil, nil }
