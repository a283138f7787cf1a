//go:build race

package poolimpl

// heapUpTo is the size of the largest chunk that is taken from the Go heap, where the race detector sees what is done to blocks. Larger chunks are
// mapped: the Go heap would end the program if the system has not enough memory.
const heapUpTo = 1 << 30
