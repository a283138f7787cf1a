// Package cheader writes the layout of Go types as C headers, so that kernels and C code see memory as Go does.
//
//	Plan -> load -> go/types of each item -> describe -> structures -> write -> <pool>_pool.h
//
// A header is for C11, C++11 and CUDA, also with NVRTC, which has no headers of the system. It does not leave the layout to the compiler: padding between
// fields is a member, and size, alignment and every offset are asserted. Where a compiler's layout differs, the code does not compile.
//
// Names are made of the Go package and the type, mesh_Vertex, as C has one name space. The headers of a plan share their names and can be included
// together. A type that several headers have is declared by the first that is included. Two types of one name, of packages of one name, get different
// names within a plan, and are an error of the C compiler across plans.
package cheader
