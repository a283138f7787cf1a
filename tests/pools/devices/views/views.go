// Package views holds generated pools with device_view: fixed, of each suballocator, and their tests on a simulated machine, whose kernels allocate and free
// by sim.View. Run them with
//
//	go test ./tests -pools '-tags cudasim ./devices/views'
package views

//go:generate go tool poolgen generate
