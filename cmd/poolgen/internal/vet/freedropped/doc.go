// Package freedropped finds frees whose error is dropped: PG106, which poolgen explain shows with an example.
//
// The rule reports a free that is a statement of its own. It does not report an assignment to the blank identifier, which is a deliberate decision,
// also for errcheck. Nor does it report a deferred free, which is as usual in Go as a deferred Close.
package freedropped
