// Package docs holds what keeps the pages of the documentation true. The language reference, docs/language.md, is made here from the tables of package
// spec; the tests of the package take every page and check what it says against the code:
//
//	yaml blocks   are pool files, or parts of one, without a finding, and can be generated
//	go blocks     compile: against the pools of testdata/world, in an example's page against those of the example;
//	              in a page of templates they stand in the source, and output of poolgen is what it prints
//	commands      have the flags, tags, packages, tests and benchmarks that they name, in blocks and in running text; pages with commands of
//	              tests/pools have the one that generates the pools
//	names         of our packages, of tests, of diagnostics, and what is generated for a pool Foo, exist
//	links         lead to files that exist, and to headings in them; those that show a path lead there
//	paths         of the source that CONTRIBUTING.md, docs/internals.md, templates/README.md and SECURITY.md name exist
//
// A block that none of this can judge stands in the table of unjudged_test.go with the reason. Pages need no marks for it: what a block is shows from its language
// and its first word, and whether Go code is a file or the body of a function from whether it parses.
//
//	go test ./cmd/poolgen/internal/docs -update
//
// writes docs/language.md and docs/poolgen.schema.json again.
package docs
