// Package items has items with pointers. Its pools are written by hand: they declare themselves, and that is all that the rule looks at.
package items

// Label has a string, deep inside.
type Label struct {
	ID   int
	Text [2]text // want `PG110: the item Label of pool Label holds a string in Text.s, which the garbage collector does not see`
}

type text struct{ s string }

// Plain has no pointers.
type Plain struct {
	ID   int
	None [0]*int
	Text [32]byte
}
