// Package streams tests generated pools whose blocks are freed on streams on the simulated driver: that
// no stream gets memory which another may still be using, that nothing is lost when the driver fails, and that nothing is left over. Run them with
//
//	go test ./tests -pools '-tags cudasim ./streams'
package streams
