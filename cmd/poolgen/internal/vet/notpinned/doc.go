// Package notpinned finds asynchronous copies that wait after all: PG109, which poolgen explain shows with an example.
//
// It reports only copies with Async in their names, of memory that is certainly on the Go heap. CopyFooToDevice waits for such memory, too, but its
// name promises nothing else.
package notpinned
