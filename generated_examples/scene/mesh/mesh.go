// Package mesh holds the types that the pools of package scene hand out.
package mesh

// Vertex is a corner of a triangle.
type Vertex struct {
	Position, Normal [3]float32
	Colour           uint32
}
