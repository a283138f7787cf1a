// Package cheader writes the layout of Go types as C headers, for kernels and C code that share memory with Go.
//
//	Plan -> load -> go/types of each item -> describe -> structures -> write -> <pool>_pool.h
//
// A header is for C11, C++11 and CUDA, including NVRTC, which has no system headers. It does not leave the layout to the compiler: padding between
// fields is a member, and size, alignment and every offset are asserted. Where a compiler's layout differs, the code does not compile.
//
// Names consist of the Go package and the type, as in mesh_Vertex, because C has one name space. The headers of a plan share their names and can be
// included together. A type that several headers have is declared by the first that is included. Two types of one name, of packages of one name, get
// different names within a plan, and are an error of the C compiler across plans.
package cheader
