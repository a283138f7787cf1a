package trace

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// stackPool stands for a generated pool.
type stackPool struct{}

// TestFrames: of the calls inside a pool, Frames lists exported functions only. The caller of the pool is found by its file, whatever the name of the file.
func TestFrames(t *testing.T) {
	tests := []struct {
		name  string
		stack []uintptr
		want  []string // generated ones in brackets
	}{
		{"method", loadMesh(), []string{"[stackPool).Alloc vertex_shell.go:11]", "loadMesh mesh_pool.go:30"}},
		{"package function", loadAll(), []string{"[stackPool).Alloc vertex_shell.go:11]", "[AllocStack vertex_pool.go:20]", "loadAll main_shell.go:40"}},
		{"without poolgen", new(stackPool).peek(), []string{"stackPool).peek main.go:50"}},
		{"unknown", nil, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for f := range Frames(test.stack) {
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
		})
	}
}

// Equal stacks have one number, in order of first use, and List has their frames in that order.
func TestSitesAreNumbered(t *testing.T) {
	var s Sites
	var got []uint32
	mesh := loadMesh()
	for _, stack := range [][]uintptr{mesh, mesh[1:], slices.Clone(mesh), nil, mesh[1:]} {
		got = append(got, s.Of(stack))
	}
	if want := []uint32{1, 2, 1, 3, 2}; !slices.Equal(got, want) {
		t.Errorf("the numbers are %d, want %d", got, want)
	}
	if list := s.List(); len(list) != 3 || !slices.Equal(list[1], slices.Collect(Frames(mesh[1:]))) || list[2] != nil {
		t.Errorf("the list is %v", list)
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
