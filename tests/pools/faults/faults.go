// Package faults has pools of every suballocator under every kind of concurrency on an allocator that fails on demand. Its tests make each of its
// calls fail in turn, and run sequences of operations that a fuzzer generates.
package faults

//go:generate go tool poolgen generate
