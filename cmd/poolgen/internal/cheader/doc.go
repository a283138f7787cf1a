// Package cheader writes the layout of Go types as C headers, so that kernels and C code see memory as Go does.
//
//	Plan -> load -> go/types of each item -> describe -> structures -> write -> <pool>_pool.h
//
// A header is for C11, C++11 and CUDA, also where NVRTC compiles it, which has no headers of the system. It says where everything lies instead of leaving it to the
// compiler: what Go leaves between fields is a member, and size, alignment and every offset are asserted, so that code compiled with another idea of them does not compile.
//
// Names are made of the Go package and the type, mesh_Vertex, as C has one space for all: the headers of a plan share theirs, so that they can be included together.
// Types that several headers have are declared by the first that is included. Two types of one name, of packages of one name, are told apart within a plan, and are an
// error of the C compiler beyond it.
package cheader
