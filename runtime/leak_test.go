package poolrt

import (
	"runtime"
	"strings"
	"testing"
)

// leakyPool stands for a generated pool.
type leakyPool struct{}

// The caller of a leak is the function that called the pool, not one of the pool.
func TestLeakNamesItsCaller(t *testing.T) {
	for want, stack := range map[string][]uintptr{"runtime.loadMesh (mesh.go:20)": loadMesh(), "calls that are not known": nil} {
		if got := (Leak{Stack: stack}).caller(); !strings.HasSuffix(got, want) {
			t.Errorf("called by %s, want %s", got, want)
		}
	}
}

// The line directives place the following functions in other files.

//line vertex_shell.go:10
func (p *leakyPool) Alloc() []uintptr {
	pcs := make([]uintptr, 16)
	return pcs[:runtime.Callers(1, pcs)]
}

//line mesh.go:20
func loadMesh() []uintptr { return new(leakyPool).Alloc() }
