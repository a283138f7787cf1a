// Package pools has the pools that the programs beside it use. The tests generate them into a module that lasts as long as they do.
package pools

// Vertex is the item of several pools.
type Vertex struct{ X, Y, Z float32 }
