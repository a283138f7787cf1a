package codesize

import (
	"fmt"
	"testing"

	"github.com/poolgen/poolgen/spec"
	"github.com/poolgen/poolgen/tests/fatal"
)

const shellText = `package p

type VertexPool struct { core heapCore }

func (p *VertexPool) ready() {}

func (p *VertexPool) Alloc() { p.take(); p.allocSlow(); p.allocCold() }

func (p *VertexPool) Free() {}

func (p VertexPool) Stats() {}

func (p *VertexPool) take() {}

//go:noinline
func (p *VertexPool) allocSlow() {}

func (p *VertexPool) allocCold() { p.ready() }
`

const coreText = `package p

type heapCore struct{}

func (c *heapCore) Take() { heapCoreFind(); hand() }

func heapCoreFind() {}

func heapCoreGrow() {}
`

const poolText = `package p

func (p *VertexPool) Limit() int64 { return 0 }

func (p *vertexShell) Hidden() {}

func AllocVertex() (*itemmesh.Vertex, error) {
	return nil, nil
}

func helper() {}
`

// outlines returns the outlines of two pools that share a suballocator.
func outlines(t *testing.T) map[string]*Outline {
	t.Helper()
	found, err := Outlines(map[string][]byte{
		"vertex_pool.go": []byte(poolText), "vertex_shell.go": []byte(shellText), "vertex_poolgen_test.go": []byte("package p\n\nfunc TestVertex() {}\n"),
		"edge_pool.go": []byte("package p\n"), "edge_shell.go": []byte("package p\n\ntype EdgePool struct { core heapCore }\n"),
		"heap_core.go": []byte(coreText), "poolgen.go": []byte("package p\n"),
	}, []spec.Pool{{Name: "Vertex", Item: spec.Item{Qualifier: "mesh"}, Tests: true, PackageFunctions: true}, {Name: "Edge"}})
	fatal.If(t, err)
	return found
}

// Files, suballocator and functions are found in the text; the item's package has the name that the pool file gives it.
func TestOutlineOfAPool(t *testing.T) {
	for name, want := range map[string]string{
		"Vertex": fmt.Sprintf("[{vertex_pool.go 11 %d} {vertex_shell.go 18 %d} {vertex_poolgen_test.go 3 32}] {heap_core.go 9 %d} heapCore [Edge] "+
			"[func AllocVertex() (*mesh.Vertex, error) func (p *VertexPool) Limit() int64 func (p *VertexPool) Alloc() func (p *VertexPool) Free() func (p VertexPool) Stats()]",
			len(poolText), len(shellText), len(coreText)),
		"Edge": fmt.Sprintf("[{edge_pool.go 1 10} {edge_shell.go 3 50}] {heap_core.go 9 %d} heapCore [Vertex] []", len(coreText)),
	} {
		o := outlines(t)[name]
		if got := fmt.Sprintf("%v %v %s %v %v", o.Files, o.CoreFile, o.Core, o.With, o.Functions); o.Pool != name || got != want {
			t.Errorf("pool %s, %s: got\n%s, want\n%s", o.Pool, name, got, want)
		}
	}
}

func TestOutlineOfNoGo(t *testing.T) {
	if _, err := Outlines(map[string][]byte{"vertex_pool.go": []byte("package\n")}, []spec.Pool{{Name: "Vertex"}}); err == nil {
		t.Error("text that is not Go has an outline")
	}
	if none, err := Outlines(nil, []spec.Pool{{Name: "Vertex"}}); len(none) > 0 || err != nil {
		t.Errorf("nothing has %v, %v", none, err)
	}
}
