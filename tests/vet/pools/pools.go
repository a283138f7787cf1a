// Package pools has the pools that the tests of poolgen vet use.
package pools

//go:generate go run github.com/poolgen/poolgen/cmd/poolgen generate

// Vertex is the item of several pools.
type Vertex struct{ X, Y, Z float32 }
