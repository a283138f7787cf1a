// Package badfree finds frees of a part of a block, and frees whose error is dropped: PG105 and PG106, which poolgen explain shows with examples.
//
// The error of a free in a statement of its own is reported. An assignment to the blank identifier is not: Go's readers take it for a decision, as errcheck does. A
// deferred free is not, either: that is Go's own habit with Close.
package badfree
