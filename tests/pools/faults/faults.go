// Package faults has pools of every suballocator under every kind of concurrency on an allocator that fails when it is told to. Its tests let each
// of its calls fail in turn, and play sequences of operations that a fuzzer makes up.
package faults

//go:generate go tool poolgen generate
