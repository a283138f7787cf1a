//go:build race

package runtime

// heapUpTo is the size of the largest chunk that is taken from the Go heap, so that the race detector sees what is done to
// its blocks. Larger ones are mapped: the Go heap ends the program when the system has not that much.
const heapUpTo = 1 << 30
