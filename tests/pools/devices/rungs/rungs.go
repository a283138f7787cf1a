// Package rungs holds generated pools whose ladders get device memory from other pools and directly from the driver, and their tests. Run them with
//
//	go test ./tests -pools '-tags cudasim ./devices/rungs'
package rungs

//go:generate go tool poolgen generate
