package main

// Tile is one square of a terrain: 1 KiB without pointers, as items of pools are.
type Tile struct {
	X, Y    int32
	Heights [254]float32
}
