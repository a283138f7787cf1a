// Package freedropped finds frees whose error is dropped: PG106, which poolgen explain shows with an example.
//
// The error of a free in a statement of its own is reported. An assignment to the blank identifier is not: Go's readers take it for a decision, as errcheck does. A
// deferred free is not, either: that is Go's own habit with Close.
package freedropped
