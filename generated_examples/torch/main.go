// Command torch is a shared library: pools as the allocator of PyTorch, and for programs in C.
//
//	go build -buildmode=c-shared -o libtorchpools.so .
package main

func main() {}
