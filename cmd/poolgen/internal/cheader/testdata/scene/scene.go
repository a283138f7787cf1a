// Package scene has the name of the package that the pools of the tests are in, and types with the names of what belongs to pools.
package scene

// Scratch_view is no view, and its kin are none of pool Scratch's or of pool Rows'.
type (
	Scratch_view  struct{ A uint8 }
	Scratch_alloc struct{ A uint16 }
	RowsItem      struct{ A uint32 }
)
