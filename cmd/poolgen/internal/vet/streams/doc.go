// Package streams finds blocks that are freed while a stream may be at work with them, and asynchronous copies that wait after all: PG108 and PG109, which poolgen
// explain shows with examples.
//
// Work is a kernel's launch with the block's address, a clear, a copy between blocks, and a copy between a block and memory of a pinned pool. Any call of a function that
// nothing is known about may wait for the stream, and a copy of other Go memory does: after it, nothing is said.
//
// Of copies, only those are reported that say Async in their name, of memory that the function has certainly from Go: CopyFooToDevice of such memory waits, and
// is a usual way to say so.
package streams
