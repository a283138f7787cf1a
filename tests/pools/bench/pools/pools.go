// Package pools holds the pools that tests/pools/bench measures.
package pools

//go:generate go tool poolgen generate
