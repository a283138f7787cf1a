// Package guarantee holds pools of every kind whose requests may fail only if memory is not there. A model follows them through random
// requests, frees, streams and limits on the simulated driver:
//
//	go test ./tests -pools '-tags cudasim ./devices/guarantee'
//	go test ./tests -pools '-tags cudasim ./devices/guarantee -guarantee.all'
package guarantee

//go:generate go tool poolgen generate
