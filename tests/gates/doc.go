// Package gates holds what generated code promises beside being correct, and what a change might lose without a test noticing: that fast
// paths are inlined, free of bounds checks and of allocations, that output depends on nothing but the runtime, that files are
// marked as generated and formatted, that no comment is lost, that comments are about the pool at hand and what they name is there, that pruning
// leaves nothing over, that go generate succeeds, and that dependencies stay few; and that all findings take one way to the user.
//
// Each gate is a function from sources to faults, a table of what it is asked, and a test that plants a fault. They look at the
// committed examples, and at pools that are generated for them into a module that lasts as long as the test: their own, or a copy of tests/pools.
package gates
