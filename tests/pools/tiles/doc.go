// Package tiles holds generated pools of tiles for sparse textures, and their tests on the simulated driver: rows of tiles are bound to
// sparse arrays, written through these and read back. Run them with
//
//	go test ./tests -pools '-tags cudasim ./tiles'
package tiles

//go:generate go tool poolgen generate
