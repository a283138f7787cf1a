package poolrt

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/runtime/internal/trace"
)

// stackPool stands for a generated pool.
type stackPool struct{}

// TestFrames: of the calls inside a pool, Frames lists exported functions only. The caller of the pool is found by its file, whatever the name of the file.
func TestFrames(t *testing.T) {
	tests := []struct {
		name  string
		stack []uintptr
		want  []string // generated ones in brackets
		calls string
	}{
		{"method", loadMesh(), []string{"[stackPool).Alloc vertex_shell.go:11]", "loadMesh mesh_pool.go:30"}, "loadMesh (mesh_pool.go:30)"},
		{"package function", loadAll(), []string{"[stackPool).Alloc vertex_shell.go:11]", "[AllocStack vertex_pool.go:20]", "loadAll main_shell.go:40"}, "loadAll (main_shell.go:40)"},
		{"without poolgen", new(stackPool).peek(), []string{"stackPool).peek main.go:50"}, "stackPool).peek (main.go:50)"},
		{"unknown", nil, nil, "calls that are not known"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for f := range trace.Frames(test.stack) {
				if strings.Contains(f.Function, "TestFrames") {
					break
				}
				text := fmt.Sprintf("%s %s:%d", f.Function[strings.LastIndexAny(f.Function, ".*")+1:], f.File[strings.LastIndexByte(f.File, '/')+1:], f.Line)
				if _, method, ok := strings.Cut(f.Function, "(*"); ok {
					text = method + text[strings.IndexByte(text, ' '):]
				}
				if f.Generated {
					text = "[" + text + "]"
				}
				got = append(got, text)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("frames %q, want %q", got, test.want)
			}
			if c := (Leak{Stack: test.stack}).caller(); !strings.HasSuffix(c, test.calls) {
				t.Errorf("called by %s, want %s", c, test.calls)
			}
		})
	}
}

func stack() []uintptr {
	pcs := make([]uintptr, 16)
	return pcs[:runtime.Callers(2, pcs)]
}

// The line directives place the following functions in other files.

//line vertex_shell.go:10
func (p *stackPool) watched() []uintptr { return func() []uintptr { return stack() }() }
func (p *stackPool) Alloc() []uintptr   { return p.watched() }

//line vertex_pool.go:20
func AllocStack() []uintptr { return new(stackPool).Alloc() }

//line mesh_pool.go:30
func loadMesh() []uintptr { return new(stackPool).Alloc() }

//line main_shell.go:40
func loadAll() []uintptr { return AllocStack() }

//line main.go:50
func (p *stackPool) peek() []uintptr { return stack() }
