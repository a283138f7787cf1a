// Package pools holds the pools that tests/bench measures.
package pools

//go:generate go tool poolgen generate
