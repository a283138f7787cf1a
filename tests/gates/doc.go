// Package gates tests promises of generated code besides correctness, and properties that a change could break without failing another test: fast
// paths are inlined, and have no bounds checks and no allocations; output depends only on the runtime; files are formatted, and marked as generated;
// no comment is lost, comments are about the pool at hand, and the names in them exist; pruning leaves nothing behind; go generate succeeds;
// dependencies stay few; all findings reach the user in one way; one thing has one word; and every package has tests.
//
// Each gate is a function from sources to faults, a table of requirements, and a test that plants a fault. Gates check the committed examples, and
// pools that are generated into a temporary module: their own, or a copy of tests/pools.
package gates
