// Package quickstart is the smallest use of poolgen: one pool of a type of this package.
//
// The pool file names the type and a limit; everything else is a default. AllocVertex and FreeVertex are generated beside this file.
package quickstart

// Vertex is what the pool holds: a type without pointers.
type Vertex struct {
	Position [3]float32
	Normal   [3]float32
	UV       [2]float32
}
