// Package rungs holds generated pools whose ladders borrow device memory from other pools or allocate it directly from the driver, and their tests. Run them with
//
//	go test ./tests -pools '-tags cudasim ./devices/rungs'
package rungs

//go:generate go tool poolgen generate
