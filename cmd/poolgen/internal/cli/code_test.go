package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/spec"
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
	s, err := parseSources(map[string][]byte{"vertex_pool.go": []byte("package p\n"), "vertex_shell.go": []byte(shellText), "heap_core.go": []byte(coreText)})
	if err != nil {
		t.Fatal(err)
	}
	pool := spec.Pool{Name: "Vertex"}
	o := s.outline(&pool, []spec.Pool{pool})
	if o.core != "heapCore" || o.coreFile != "heap_core.go" || o.with != nil {
		t.Fatalf("got %+v", o)
	}
	graph := calls{
		"(*VertexPool).Alloc":     {"(*VertexPool).take", "(*VertexPool).allocSlow", "(*VertexPool).allocCold", "sync.Lock"},
		"(*VertexPool).take":      {"(*heapCore).Take", "(*heapCore).Take"},
		"(*VertexPool).allocCold": {"github.com/poolgen/poolgen/runtime.(*Engine).Init", "heapCoreGrow"},
		"(*heapCore).Take":        {"heapCoreFind", "hand"},
		"heapCoreFind":            {"(*heapCore).Take"},
	}
	c := &code{object: graph, sizes: map[string]int64{
		"(*VertexPool).Alloc": 10, "(*VertexPool).Alloc.func1": 1, "(*VertexPool).Free": 20, "VertexPool.Stats": 2, "(*VertexPool).Stats": 3, "(*VertexPool).Stats-fm": 4,
		"(*VertexPool).take": 5, "(*VertexPool).allocSlow": 6, "(*VertexPool).allocCold": 7,
		"(*heapCore).Take": 30, "heapCoreFind": 40, "heapCoreFind.func2.1": 1, "heapCoreGrow": 50, "hand": 1000, "init": 1000, "heapCoreFinder": 1000,
	}}
	if got, want := c.part(s, o.files...), (measured{58, 9}); got != want {
		t.Errorf("the pool: got %v, want %v", got, want)
	}
	if got, want := c.part(s, o.coreFile), (measured{121, 4}); got != want {
		t.Errorf("the suballocator: got %v, want %v", got, want)
	}
	path, err := c.fastPath(t.Context(), s, &o, "Vertex")
	const want = "[{(*VertexPool).Alloc 10} {(*VertexPool).Free 20} {heapCoreFind 40} {(*heapCore).Take 30} {(*VertexPool).take 5}]"
	if got := fmt.Sprint(path); got != want || err != nil {
		t.Errorf("fast path: got %s, %v, want %s", got, err, want)
	}
	graph["(*VertexPool).Free"] = []string{"heapCoreGrow"}
	if _, err := c.fastPath(t.Context(), s, &o, "Vertex"); err == nil {
		t.Error("the error of the disassembler is lost")
	}
}

// TestCodeWithoutGo explains a pool where there is no go command.
func TestCodeWithoutGo(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, poolFileName), []byte("version: 1\npackage: senses\npools: [{name: Sound}]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	for format, want := range map[string]string{
		"text": "\nmachine code: not measured\n    the go command is not in PATH",
		"json": `{"pool":"Sound","key":"code","value":"not measured","from":"","note":"the go command is not in PATH`,
	} {
		var stdout, stderr bytes.Buffer
		p := Process{Args: []string{"explain", "--code", "--format", format}, Dir: dir, Environ: os.Environ(), Stdout: &stdout, Stderr: &stderr}
		if exit := Main(t.Context(), p); exit != ExitDone || !strings.Contains(stdout.String(), want) {
			t.Errorf("%s: exit code %d\n%s%s", format, exit, &stdout, &stderr)
		}
	}
}
