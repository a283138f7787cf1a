// Package notpinned finds asynchronous copies that wait after all: PG109, which poolgen explain shows with an example.
//
// Only copies are reported that say Async in their name, of memory that the function has certainly from Go: CopyFooToDevice of such memory waits, and
// is a usual way to say so.
package notpinned
