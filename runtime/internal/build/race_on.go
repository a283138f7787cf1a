//go:build race

package build

// Race says that the program runs with the race detector.
const Race = true
