// Package trace is what programs built with the tag pooltrace know of blocks and of who calls: the flight recorder and the samples of each pool, the
// recorder of all, and profiles. Calls and profiles exist without the tag as well.
package trace
