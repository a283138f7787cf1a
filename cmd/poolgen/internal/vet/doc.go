// Package vet finds mistakes in Go code that uses memory pools: poolgen vet, and go vet with poolgen as its tool.
//
//	pools declarations of pools in generated code (facts of packages)
//	blocks the status of each block in each function, path by path (facts of functions)
//	rule   the help of rules, their place in the documentation, and the directives that silence a finding
//
// Each file of this package that is named after a rule is a rule with an analysis of its own.
//
// The table of rules is in rules.go. The help of the codes in package spec describes each rule, and what it does not report.
//
// For all rules, no report is better than a wrong one: if a rule cannot follow the code, it reports nothing.
package vet
