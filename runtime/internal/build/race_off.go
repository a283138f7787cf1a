//go:build !race

package build

// Race says that the program runs without the race detector.
const Race = false
