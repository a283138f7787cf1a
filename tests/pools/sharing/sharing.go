// Package sharing holds generated pools whose blocks are shared with other processes, and their tests on the simulated driver: in one process, in
// two, with forged descriptions and files, and with every call of the driver failing in turn. Run them with
//
//	go test ./tests -pools '-tags cudasim ./sharing'
package sharing

//go:generate go tool poolgen generate

// Body is an item of a user's type.
type Body struct {
	Position, Velocity [3]float32
	Mass               float64
}
