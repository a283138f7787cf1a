// Package vet finds mistakes in Go code that uses memory pools: poolgen vet, and go vet with poolgen as its tool.
//
//	pools    what generated code declares of its pools                      (facts of packages)
//	blocks   what becomes of each block in each function, path by path      (facts of functions)
//	ignore   the directives that silence a finding
//	rule     what rules say of themselves: their help, their place in the documentation
//	others   one rule each, named after its directory, with an analysis of its own
//
// The table of rules is in rules.go. What a rule is about, and what it leaves unsaid, is the help of its codes in package spec.
//
// The rule for rules: no report is better than a wrong one. Where a rule cannot follow the code, it reports nothing.
package vet
