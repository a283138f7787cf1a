// Package devices holds generated pools of memory that the driver supplies, and their tests on the simulated driver: copies, clearing, the
// driver's own pools, fallback allocators, and that nothing is lost whichever call of the driver fails. Run them with
//
//	go test ./tests -pools '-tags cudasim ./devices'
package devices

//go:generate go tool poolgen generate

// Body is an item of a user's type.
type Body struct {
	Position, Velocity [3]float32
	Mass               float64
}
