// Package hostptr finds pointers of the host among the arguments of kernels: PG112, which poolgen explain shows with an example.
//
// A kernel's arguments have type any, so the compiler accepts every type. A Go pointer, slice, string, map or channel is never correct there. A
// number that was converted from a Go pointer through unsafe.Pointer is not reported: memory that is page-locked and mapped has such addresses, too.
package hostptr
