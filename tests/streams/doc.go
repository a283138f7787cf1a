// Package streams holds generated pools whose blocks are freed on streams, and the tests that hold them against the simulated driver: that
// no stream gets memory which another may still be using, that nothing is lost when the driver fails, and that nothing is left over. Run them with
//
//	go test -tags cudasim ./tests/streams
package streams
