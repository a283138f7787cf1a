// Package world is what Go code in the documentation may take for given.
package world

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/poolgen/poolgen/cuda"
)

// Vertex and its like are types that pools hand out.
type (
	Vertex struct{ Position, Normal [3]float32 }
	Node   struct{ Left, Right int32 }
	Hit    struct{ Distance float32 }
)

// What the pages talk about without declaring it.
var (
	ctx    context.Context
	s      cuda.Stream
	kernel cuda.Kernel
	trace  cuda.Kernel
	rays   BatchSpan
	n      int
	err    error
	t      *testing.T
	w, h   int
	v      *Vertex
	p      = DefaultBatchPool()
	token  [152]byte
	array  *cuda.SparseArray
	stream cuda.Stream
	texels []byte
	cmd    *exec.Cmd
	f      *os.File
)

func upload(t *testing.T) {}

// oldest returns the blocks of a cache that were used least recently and make up so many bytes.
func oldest(bytes int64) []PromptSpan { return nil }
