// Package gates tests what generated code promises beside being correct, and what a change might lose without another test noticing: fast paths are
// inlined, and free of bounds checks and of allocations; output depends on nothing but the runtime; files are formatted, and marked as generated; no
// comment is lost, comments are about the pool at hand, and what they name is there; pruning leaves nothing over; go generate succeeds; dependencies
// stay few; all findings take one way to the user; and one thing has one word.
//
// Each gate is a function from sources to faults, a table of what it demands, and a test that plants a fault. They look at the
// committed examples, and at pools that are generated for them into a module that lasts as long as the test: their own, or a copy of tests/pools.
package gates
