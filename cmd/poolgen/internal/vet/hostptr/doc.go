// Package hostptr finds pointers of the host among the arguments of kernels: PG112, which poolgen explain shows with an example.
//
// A kernel's arguments are of any type, so the compiler takes them all. A Go pointer, slice, string, map or channel is never right there. A number that was made of a Go
// pointer by way of unsafe.Pointer is not reported: memory that is page-locked and mapped has such addresses, too.
package hostptr
