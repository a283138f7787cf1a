// Package docs keeps the pages of the documentation true. It makes the language reference, docs/language.md, from the tables of package spec. Its
// tests check the statements of every page against the code:
//
//	yaml blocks   are pool files, or parts of one, without a finding, and can be generated
//	go blocks     compile: against the pools of testdata/world, in an example's page against those of the example;
//	              in a page of templates they stand in the source, and output of poolgen is what it prints
//	commands      have the flags, tags, packages, tests and benchmarks that they name, in blocks and in running text; pages with commands of
//	              tests/pools have the one that generates the pools
//	names         of our packages, of tests, of diagnostics, and what is generated for a pool Foo, exist
//	links         lead to files that exist, and to headings in them; those that show a path lead there
//	figures       of README.md, docs/choosing.md and docs/comparison.md stand in rows that docs/performance.md has, too
//	paths         of the source that CONTRIBUTING.md, docs/internals.md, templates/README.md and SECURITY.md name exist
//	sentences     of README.md and docs have at most 35 words
//
// The table of unjudged_test.go lists the blocks that none of these tests can judge, with the reason. Pages need no annotations: the language and the
// first word of a block show its kind, and parsing shows whether Go code is a file or the body of a function.
//
//	go test ./cmd/poolgen/internal/docs -update
//
// writes docs/language.md and docs/poolgen.schema.json again.
package docs
