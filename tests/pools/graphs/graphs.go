// Package graphs holds pools whose memory can be private to graphs. Its tests run on the simulated driver:
//
//	go test ./tests -pools '-tags cudasim ./graphs'
package graphs

//go:generate go tool poolgen generate
