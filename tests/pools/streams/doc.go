// Package streams tests generated pools whose blocks are freed on streams on the simulated driver: that
// no stream gets memory that another may still be using, that no memory is lost when the driver fails, and that none is left at the end. Run them with
//
//	go test ./tests -pools '-tags cudasim ./streams'
package streams
