//go:build (linux || darwin || freebsd || netbsd || openbsd || dragonfly || solaris || windows) && !race

package poolimpl

// heapUpTo is the size of the largest chunk that is taken from the Go heap: all are mapped.
const heapUpTo = 0
