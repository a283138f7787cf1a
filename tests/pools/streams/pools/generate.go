// Package pools holds generated pools whose blocks are freed on streams, of every suballocator and allocator, for tests on the simulated driver
// and on a GPU.
package pools

//go:generate go tool poolgen generate
