// Package pools holds generated pools for many goroutines at once, of every suballocator.
package pools

//go:generate go tool poolgen generate
