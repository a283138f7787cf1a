// Package vet finds mistakes in Go code that uses memory pools: poolgen vet, and go vet with poolgen as its tool.
//
//	pools    what generated code declares of its pools                      (facts of packages)
//	blocks   what becomes of each block in each function, path by path      (facts of functions)
//	ignore   the directives that silence a finding
//	others   one rule each: they report what blocks found, or look for themselves
//
// The rule for rules: no report is better than a wrong one. Where code does something that a rule cannot follow, it is silent.
package vet
