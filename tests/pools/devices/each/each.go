// Package each holds generated pools with device: each, and their tests on a simulated machine of several devices. Run them with
//
//	go test ./tests -pools '-tags cudasim ./devices/each'
package each

//go:generate go tool poolgen generate

// Body is an item of a user's type.
type Body struct {
	Position, Velocity [3]float32
	Mass               float64
}
