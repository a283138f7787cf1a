// Package corpus has functions as programs have them, in a file for each subject. Half of the functions use pools wrongly. A wrong
// function has a comment on the line where it goes wrong: WRONG, the kind of fault, a colon, and what is wrong. A right function has none.
package corpus

import (
	"cmp"
	"errors"
	"log"
	"unsafe"

	"example.com/vet/pools"
	"github.com/poolgen/poolgen/cuda"
)

var (
	errEmpty     = errors.New("empty input")
	errDuplicate = errors.New("duplicate key")
	errRange     = errors.New("value out of range")
)

// length is the squared length of a vertex.
func length(v *pools.Vertex) float32 { return v.X*v.X + v.Y*v.Y + v.Z*v.Z }

// move adds a distance to each coordinate.
func move(v *pools.Vertex, by float32) {
	v.X += by
	v.Y += by
	v.Z += by
}

// check refuses a vertex that is not a number.
func check(v *pools.Vertex) error {
	if v.X != v.X || v.Y != v.Y || v.Z != v.Z {
		return errRange
	}
	return nil
}

// sum adds numbers up.
func sum(list []float32) (total float32) {
	for _, x := range list {
		total += x
	}
	return total
}

// discard frees a vertex and logs what goes wrong.
func discard(v *pools.Vertex) {
	if err := pools.FreeVertex(v); err != nil {
		log.Print(err)
	}
}

// newVertex returns a vertex for the caller to free.
func newVertex(x float32) (*pools.Vertex, error) {
	v, err := pools.AllocVertex()
	if err != nil {
		return nil, err
	}
	*v = pools.Vertex{X: x}
	return v, nil
}

// must returns a value, or panics with the error.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// larger returns the larger of two values.
func larger[T cmp.Ordered](a, b T) T { return max(a, b) }

// launch queues a kernel on a block of n numbers.
func launch(k cuda.Kernel, at cuda.DevicePtr, n int, s cuda.Stream) error {
	return k.Launch(cuda.Config{Grid: [3]uint32{64}, Block: [3]uint32{256}, Stream: s}, at, uint64(n))
}

// asBytes is the memory of numbers.
func asBytes(list []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), 4*len(list))
}

// job is work on a text that the job owns.
type job struct {
	id    int
	input []byte
}

// finish frees the input of a job.
func (j *job) finish() {
	if err := pools.FreeText(j.input); err != nil {
		log.Printf("job %d: %v", j.id, err)
	}
	j.input = nil
}

// shape is something with an area, which Close frees.
type shape interface {
	Area() float32
	Close() error
}

// disc is a shape whose radius is in a block.
type disc struct{ v *pools.Vertex }

// Area is that of the disc.
func (d *disc) Area() float32 { return 3.14159 * d.v.X * d.v.X }

// Close frees the block.
func (d *disc) Close() error { return pools.FreeVertex(d.v) }

// sink takes vertices over.
type sink interface{ Take(*pools.Vertex) }
