package rig

import "flag"

// AllPairs is the flag for tests in which two calls of the driver fail: they try each pair of calls, not a sample of the pairs.
var AllPairs = flag.Bool("pairs.all", false, "make each pair of driver calls fail, not a sample")

// EachCall makes each call of a program fail in turn: it runs the program with 1, 2, ... for the number of the call that fails, until there are no
// more calls. The program reports whether that call happened. EachCall returns the number of calls.
func EachCall(program func(nth int) (came bool)) (calls int) {
	for program(calls + 1) {
		calls++
	}
	return calls
}
