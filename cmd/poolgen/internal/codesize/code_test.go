package codesize

import (
	"context"
	"fmt"
	"testing"
)

// calls is a disassembly.
type calls map[string][]string

func (c calls) Calls(_ context.Context, functions []string) (map[string][]string, error) {
	found := map[string][]string{}
	for _, f := range functions {
		if f == "heapCoreGrow" {
			return nil, fmt.Errorf("no such function")
		}
		found[f] = c[f]
	}
	return found, nil
}

// TestMachineCodeOfAPool measures a package of one pool and one function of the user.
func TestMachineCodeOfAPool(t *testing.T) {
	vertex := outlines(t)["Vertex"]
	graph := calls{
		"(*VertexPool).Alloc":     {"(*VertexPool).take", "(*VertexPool).allocSlow", "(*VertexPool).allocCold", "sync.Lock"},
		"(*VertexPool).take":      {"(*heapCore).Take", "(*heapCore).Take"},
		"(*VertexPool).allocCold": {"github.com/poolgen/poolgen/runtime.(*Engine).Init", "heapCoreGrow"},
		"(*heapCore).Take":        {"heapCoreFind", "hand"},
		"heapCoreFind":            {"(*heapCore).Take"},
	}
	o := &object{calls: graph, sizes: map[string]int64{
		"(*VertexPool).Alloc": 10, "(*VertexPool).Alloc.func1": 1, "(*VertexPool).Free": 20, "VertexPool.Stats": 2, "(*VertexPool).Stats": 3, "(*VertexPool).Stats-fm": 4,
		"(*VertexPool).take": 5, "(*VertexPool).allocSlow": 6, "(*VertexPool).allocCold": 7,
		"(*heapCore).Take": 30, "heapCoreFind": 40, "heapCoreFind.func2.1": 1, "heapCoreGrow": 50, "hand": 1000, "init": 1000, "heapCoreFinder": 1000,
	}}
	if got, want := o.part(vertex.own), (Part{58, 9}); got != want {
		t.Errorf("the pool: got %v, want %v", got, want)
	}
	if got, want := o.part(vertex.core), (Part{121, 4}); got != want {
		t.Errorf("the suballocator: got %v, want %v", got, want)
	}
	path, err := o.fastPath(t.Context(), vertex)
	const want = "[{(*VertexPool).Alloc 10} {(*VertexPool).Free 20} {heapCoreFind 40} {(*heapCore).Take 30} {(*VertexPool).take 5}]"
	if got := fmt.Sprint(path); got != want || err != nil {
		t.Errorf("fast path: got %s, %v, want %s", got, err, want)
	}
	graph["(*VertexPool).Free"] = []string{"heapCoreGrow"}
	if _, err := o.fastPath(t.Context(), vertex); err == nil {
		t.Error("the error of the disassembler is lost")
	}
}
