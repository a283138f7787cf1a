package mesh

import (
	"fmt"
	"unsafe"
)

// A vertex has no padding: a vertex buffer of a GPU reads a chunk of vertices as it lies in memory.
func ExampleVertex() {
	var v Vertex
	fmt.Println(unsafe.Offsetof(v.Position), unsafe.Offsetof(v.Normal), unsafe.Offsetof(v.Colour), unsafe.Sizeof(v))
	// Output: 0 12 24 28
}
