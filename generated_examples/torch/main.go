// Command torch is a shared library of pools, for PyTorch and for programs in C. The README says how to build it.
package main

func main() {}
