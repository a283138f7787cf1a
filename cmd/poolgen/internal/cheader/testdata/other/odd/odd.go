// Package odd has the name of another package, and types of the same names.
package odd

// Plain is another than that of the other package.
type Plain struct{ X, Y uint16 }

// Holes is another than that of the other package.
type Holes struct {
	A uint8
	B uint64
}
